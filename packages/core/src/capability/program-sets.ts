/** The utilities of POSIX.1-2017 that need no terminal and no other users, and a few common ones. */
const posix =
  'sh [ awk basename cat chmod cksum cmp comm cp csplit cut date dd diff dirname du echo env expand expr false find ' +
  'fold getconf grep head iconv id join ln ls mkdir mkfifo mv nl nohup od paste pathchk pr printf pwd rm rmdir sed ' +
  'seq sleep sort split stat strings tail tee test time touch tr true tsort tty uname unexpand uniq wc xargs ' +
  'base64 gzip gunzip mktemp md5sum nproc readlink realpath sha256sum tac tar timeout which yes';

/**
 * The other usual tools of coreutils, util-linux, procps and compression. Left out are the setuid ones
 * (`su`, `mount`, `umount`, `newgrp`, `chsh`, …) and the ones of administrators (`unshare`, `nsenter`,
 * `chroot`, `setpriv`, `mkfs`, `fsck`, `losetup`, …).
 */
const linux =
  'arch b2sum base32 basenc bunzip2 bzip2 chgrp chown clear col column dir dircolors egrep factor fgrep flock fmt ' +
  'free getopt groups hardlink hexdump hostname install ionice kill link look lscpu mcookie more namei nice numfmt ' +
  'pgrep pidof pkill prlimit ps ptx renice rename.ul rev script sdiff setarch setsid sha1sum sha224sum sha384sum ' +
  'sha512sum shred shuf stdbuf stty sum sync taskset top truncate ul unlink unxz uptime uuidgen vdir watch whereis ' +
  'whoami xz zcat zcmp zdiff zgrep';

/**
 * Named sets of host programs, for `exec`. `@posix` is what shell scripts expect. Members that the host
 * lacks are left out.
 */
const programSets: Readonly<Record<string, readonly string[]>> = {
  '@posix': `${posix} ${linux}`.split(' '),
};

/** Members of sets that a sandbox has only if the skill or the call names them: each is a mount. */
export const onlyIfNamed: ReadonlySet<string> = new Set(linux.split(' '));

export const programSetNames: readonly string[] = Object.keys(programSets);

/**
 * The programs that a name in `exec` means: itself, or the members of a set, which are `optional`.
 */
export function programsNamed(name: string): { programs: readonly string[]; optional: boolean } {
  const set = programSets[name];
  return set === undefined ? { programs: [name], optional: false } : { programs: set, optional: true };
}
