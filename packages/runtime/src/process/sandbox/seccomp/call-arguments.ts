import type { SystemCall } from './syscalls.ts';

/** Calls that are allowed only with listed arguments, by number on each architecture. */
export const conditionalCalls = {
  personality: { x64: 135, arm64: 92 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const;

/**
 * Calls that are refused because of one argument, and why. The kernel reads 32 bits of each of
 * these arguments.
 */
export const refusedArguments: readonly {
  why: string;
  call: SystemCall;
  argument: number;
  refused: { values: Readonly<Record<string, number>> } | { anyBitOf: number };
  error: 'notPermitted' | 'noMemory';
}[] = [
  {
    why: 'new namespaces, as above: any CLONE_NEW* (time, mount, cgroup, uts, ipc, user, pid, network)',
    call: ['clone', 56, 220],
    argument: 0,
    refused: { anyBitOf: 0x7e02_0080 },
    error: 'notPermitted',
  },
  {
    why:
      'terminal requests type into another terminal (CVE-2017-5226) or change its driver; ' +
      'bridge and VLAN requests load a kernel module before they check the caller’s rights',
    call: ['ioctl', 16, 29],
    argument: 1,
    refused: {
      values: {
        TIOCSTI: 0x5412,
        TIOCLINUX: 0x541c,
        TIOCSETD: 0x5423,
        TIOCCONS: 0x541d,
        SIOCGIFBR: 0x8940,
        SIOCSIFBR: 0x8941,
        SIOCBRADDBR: 0x89a0,
        SIOCBRDELBR: 0x89a1,
        SIOCGIFVLAN: 0x8982,
        SIOCSIFVLAN: 0x8983,
      },
    },
    error: 'notPermitted',
  },
  {
    why: 'a lease blocks host programs that open the file; a notice reports what they do in a folder',
    call: ['fcntl', 72, 25],
    argument: 1,
    refused: { values: { F_SETLEASE: 1024, F_NOTIFY: 1026 } },
    error: 'notPermitted',
  },
  // Huge pages come from a pool for the whole machine that no memory limit counts. An empty pool
  // also fails with ENOMEM.
  {
    why: 'MAP_HUGETLB',
    call: ['mmap', 9, 222],
    argument: 3,
    refused: { anyBitOf: 0x4_0000 },
    error: 'noMemory',
  },
  {
    why: 'MFD_HUGETLB',
    call: ['memfd_create', 319, 279],
    argument: 1,
    refused: { anyBitOf: 4 },
    error: 'noMemory',
  },
  {
    why: 'SHM_HUGETLB',
    call: ['shmget', 29, 194],
    argument: 2,
    refused: { anyBitOf: 0o4000 },
    error: 'noMemory',
  },
];

interface SocketFamily {
  name: string;
  family: number;
  types: readonly number[];
  protocols: readonly number[];
}

/**
 * Socket families that a skill may use: IPv4 and IPv6, which end at its own loopback, and netlink,
 * which shows programs that there is only loopback. vsock, raw packets, kernel crypto and the
 * others are not separated by namespaces, or have been ways into the kernel.
 *
 * Types and protocols are listed too: streams and datagrams, TCP and UDP, and netlink's routing
 * table. For others the kernel would load a module, or use a protocol that skills do not need
 * (MPTCP). Protocol 0 is a type's default.
 */
export const allowedSockets: readonly SocketFamily[] = [
  { name: 'AF_INET', family: 2, types: [1, 2], protocols: [0, 6, 17] },
  { name: 'AF_INET6', family: 10, types: [1, 2], protocols: [0, 6, 17] },
  { name: 'AF_NETLINK', family: 16, types: [2, 3], protocols: [0] },
];

/**
 * Unix sockets, for sandboxes without a folder of the operator's. A socket in such a folder
 * connects to a host program, and a read-only mount does not prevent that; elsewhere Unix sockets
 * can only be created in pairs. Only streams, as in `pair`.
 */
export const unixSocket: SocketFamily = { name: 'AF_UNIX', family: 1, types: [1], protocols: [0] };

/** The other bits of the type argument are flags. */
export const socketTypeBits = 0xf;

/** Only the default execution domain, and reading it; others disable protections. */
export const allowedPersonalities: readonly number[] = [0, 0xffff_ffff];

/**
 * The only allowed socket pair: `AF_UNIX` and `SOCK_STREAM`. Senders of other types can block with
 * descriptors that the kernel has not counted yet, and together exceed the limit on descriptors in
 * flight.
 */
export const pair = { family: 1, type: 1 } as const;

/**
 * Calls that set a file's mode, with the argument that holds it. Calls that open have a flags
 * argument, which decides whether a mode is used. Setuid and setgid bits are refused: in a folder
 * granted for writing, such a file would let every host user run a program as its owner. `openat2`
 * keeps its mode in memory, which no filter can read, so it is unavailable.
 */
export const modeCalls: readonly { call: SystemCall; mode: number; flags?: number }[] = [
  { call: ['chmod', 90, null], mode: 1 },
  { call: ['fchmod', 91, 52], mode: 1 },
  { call: ['fchmodat', 268, 53], mode: 2 },
  { call: ['fchmodat2', 452, 452], mode: 2 },
  { call: ['creat', 85, null], mode: 1 },
  { call: ['mknod', 133, null], mode: 1 },
  { call: ['mknodat', 259, 33], mode: 2 },
  { call: ['open', 2, null], mode: 2, flags: 1 },
  { call: ['openat', 257, 56], mode: 3, flags: 2 },
];

/** `S_ISUID | S_ISGID`. */
export const setIdBits = 0o6000;

/** `O_CREAT | __O_TMPFILE`, equal on both architectures. */
export const creatingFlags = 0o100 | 0o20000000;
