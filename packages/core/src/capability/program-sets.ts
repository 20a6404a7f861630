/**
 * Named sets of host programs, for `exec`. `@posix` is what shell scripts expect: the utilities of
 * POSIX.1-2017 that need no terminal and no other users, and a few common ones. Members that the
 * host lacks are left out.
 */
const programSets: Readonly<Record<string, readonly string[]>> = {
  '@posix': (
    'sh [ awk basename cat chmod cksum cmp comm cp csplit cut date dd diff dirname du echo env expand expr false find ' +
    'fold getconf grep head iconv id join ln ls mkdir mkfifo mv nl nohup od paste pathchk pr printf pwd rm rmdir sed ' +
    'seq sleep sort split stat strings tail tee test time touch tr true tsort tty uname unexpand uniq wc xargs ' +
    'base64 gzip gunzip mktemp md5sum nproc readlink realpath sha256sum tac tar timeout which yes'
  ).split(' '),
};

export const programSetNames: readonly string[] = Object.keys(programSets);

/**
 * The programs that a name in `exec` means: itself, or the members of a set, which are `optional`.
 */
export function programsNamed(name: string): { programs: readonly string[]; optional: boolean } {
  const set = programSets[name];
  return set === undefined ? { programs: [name], optional: false } : { programs: set, optional: true };
}
