// Makes packaging/seccomp.json, the seccomp profile for containers that run Ambit, from the default profile of Docker: what
// that allows a container without capabilities, and the system calls that bubblewrap needs as an ordinary user.
//
//   apt-get download golang-github-docker-docker-dev && dpkg-deb -x golang-github-docker-docker-dev_*.deb docker
//   npm run build:seccomp -- docker/usr/share/gocode/src/github.com/docker/docker/profiles/seccomp/default.json
//   npm run fix
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A rule in the format of Docker, which is a superset of the OCI's.
 * @typedef {object} Rule
 * @property {string[]} names
 * @property {string} action
 * @property {number} [errnoRet]
 * @property {object[] | null} [args]
 * @property {string} [comment]
 * @property {{ caps?: string[], arches?: string[], minKernel?: string }} [includes]
 */

/** Found by trying: without any of them, bubblewrap ends with an error. */
const bubblewrapCalls = ['clone', 'mount', 'pivot_root', 'sethostname', 'umount2', 'unshare'];

/** Allowed by Docker 20.10, refused since Docker 25. */
const refusedLater = ['io_uring_enter', 'io_uring_register', 'io_uring_setup'];

/**
 * Unix, IPv4, IPv6 and netlink, as in the systemd units. Docker 20.10 allows all: vsock, which leads out of a virtual
 * machine, and kernel crypto, which had CVE-2026-31431. Later versions refuse those. socketcall, of 32-bit programs,
 * hides the family from a filter.
 */
const socketFamilies = [1, 2, 10, 16];
const socketCalls = ['socket', 'socketcall'];

/** The architectures that Ambit's sandbox runs on, and those whose programs they run. */
const architectures = ['X86_64', 'X86', 'X32', 'AARCH64', 'ARM'].map((name) => `SCMP_ARCH_${name}`);
const arches = ['amd64', 'arm64'];

/**
 * The profile, without conditions on capabilities and architectures: containerd, and so Kubernetes, reads the OCI's format,
 * which has none, and would ignore them.
 * @param {{ defaultErrnoRet?: number, syscalls: Rule[] }} docker its default profile
 */
function profileFrom(docker) {
  const rules = docker.syscalls.filter(({ names, includes: { caps = [], arches: only = arches } = {} }) => {
    const isForUs = caps.length === 0 && only.some((each) => arches.includes(each));
    // Its rules for the flags of clone.
    return isForUs && !names.every((name) => bubblewrapCalls.includes(name));
  });
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: docker.defaultErrnoRet ?? 1,
    architectures,
    syscalls: [
      ...rules.map(({ names, action, errnoRet, args }) => ({
        names: names.filter((name) => ![...refusedLater, ...socketCalls].includes(name)),
        action,
        errnoRet,
        args: args?.length ? args : undefined,
      })),
      ...socketFamilies.map((family) => ({
        names: ['socket'],
        action: 'SCMP_ACT_ALLOW',
        args: [{ index: 0, value: family, op: 'SCMP_CMP_EQ' }],
      })),
      {
        comment: 'For bubblewrap, as an ordinary user.',
        names: bubblewrapCalls,
        action: 'SCMP_ACT_ALLOW',
      },
    ],
  };
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: npm run build:seccomp -- DEFAULT_PROFILE_OF_DOCKER');
const profile = profileFrom(JSON.parse(await readFile(file, 'utf8')));
const target = join(import.meta.dirname, '../packaging/seccomp.json');
await writeFile(target, `${JSON.stringify(profile, undefined, 2)}\n`);
