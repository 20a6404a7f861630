/** The machines that a filter can be built for, by Node's name. */
export type Architecture = 'x64' | 'arm64';

/** A system call's number on each machine; `null` where the machine has no such call. */
export type SystemCall = readonly [name: string, x64: number | null, arm64: number | null];

/**
 * What no skill may ask of the kernel, and why. Everything else that the kernel knew when this table was written is
 * allowed; what it has learned since is not (`highestKnown`).
 *
 * Numbers: `asm/unistd_64.h` for x86-64, `asm-generic/unistd.h` for arm64. From 424 on both count alike.
 */
export const refusedCalls: readonly { why: string; calls: readonly SystemCall[] }[] = [
  {
    why: 'the mount tree is the wall',
    calls: [
      ['mount', 165, 40],
      ['umount2', 166, 39],
      ['pivot_root', 155, 41],
      ['chroot', 161, 51],
      ['open_tree', 428, 428],
      ['move_mount', 429, 429],
      ['fsopen', 430, 430],
      ['fsconfig', 431, 431],
      ['fsmount', 432, 432],
      ['fspick', 433, 433],
      ['mount_setattr', 442, 442],
      ['statmount', 457, 457],
      ['listmount', 458, 458],
    ],
  },
  {
    why: 'new namespaces bring capabilities, and with them most of the kernel’s attack surface',
    calls: [
      ['unshare', 272, 97],
      ['setns', 308, 268],
    ],
  },
  {
    why: 'looking into other processes',
    calls: [
      ['ptrace', 101, 117],
      ['process_vm_readv', 310, 270],
      ['process_vm_writev', 311, 271],
      ['process_madvise', 440, 440],
      ['pidfd_getfd', 438, 438],
      ['kcmp', 312, 272],
    ],
  },
  {
    why: 'keyrings are not divided by namespaces',
    calls: [
      ['add_key', 248, 217],
      ['request_key', 249, 218],
      ['keyctl', 250, 219],
    ],
  },
  {
    why: 'programs and rings that run inside the kernel, past this filter',
    calls: [
      ['bpf', 321, 280],
      ['perf_event_open', 298, 241],
      ['userfaultfd', 323, 282],
      ['io_uring_setup', 425, 425],
      ['io_uring_enter', 426, 426],
      ['io_uring_register', 427, 427],
    ],
  },
  {
    why: 'other kernels and their modules',
    calls: [
      ['init_module', 175, 105],
      ['finit_module', 313, 273],
      ['delete_module', 176, 106],
      ['create_module', 174, null],
      ['kexec_load', 246, 104],
      ['kexec_file_load', 320, 294],
      ['reboot', 169, 142],
    ],
  },
  {
    why: 'the clock belongs to the whole machine',
    calls: [
      ['settimeofday', 164, 170],
      ['clock_settime', 227, 112],
      ['clock_adjtime', 305, 266],
      ['adjtimex', 159, 171],
    ],
  },
  {
    why: 'so do swap, accounting, quotas, the kernel log and the names of the host',
    calls: [
      ['swapon', 167, 224],
      ['swapoff', 168, 225],
      ['acct', 163, 89],
      ['quotactl', 179, 60],
      ['quotactl_fd', 443, 443],
      ['syslog', 103, 116],
      ['sethostname', 170, 161],
      ['setdomainname', 171, 162],
      ['vhangup', 153, 58],
      ['nfsservctl', 180, 42],
    ],
  },
  {
    why: 'hardware, and calls of long ago that nothing needs',
    calls: [
      ['iopl', 172, null],
      ['ioperm', 173, null],
      ['modify_ldt', 154, null],
      ['uselib', 134, null],
      ['ustat', 136, null],
      ['sysfs', 139, null],
      ['_sysctl', 156, null],
      ['vserver', 236, null],
      ['lookup_dcookie', 212, 18],
    ],
  },
  {
    why: 'files by handle go around paths, and around the mounts that hide them',
    calls: [
      ['name_to_handle_at', 303, 264],
      ['open_by_handle_at', 304, 265],
      ['fanotify_init', 300, 262],
      ['fanotify_mark', 301, 263],
    ],
  },
  {
    why: 'moving memory between nodes, and memory that nobody can look into',
    calls: [
      ['mbind', 237, 235],
      ['set_mempolicy', 238, 237],
      ['get_mempolicy', 239, 236],
      ['migrate_pages', 256, 238],
      ['move_pages', 279, 239],
      ['set_mempolicy_home_node', 450, 450],
      ['memfd_secret', 447, 447],
    ],
  },
];

/**
 * What does not exist for a skill, and why: programs expect these to be missing, and go on without them (`tail -f` looks at
 * its file again and again).
 */
export const absentCalls: readonly { why: string; calls: readonly SystemCall[] }[] = [
  {
    why: 'their flags lie in memory, where no filter can look; libraries fall back to clone and openat',
    calls: [
      ['clone3', 435, 435],
      ['openat2', 437, 437],
    ],
  },
  {
    why: 'it shows what programs of the host do with mounted files, and its instances are counted for a user',
    calls: [
      ['inotify_init', 253, null],
      ['inotify_init1', 294, 26],
    ],
  },
  {
    why: 'its requests are counted for the whole machine, so that one skill could leave none to a database',
    calls: [['io_setup', 206, 0]],
  },
];

/** The last call that this table was written with (`mseal`, Linux 6.10). Later ones answer as if they did not exist. */
export const highestKnown = 462;

/** Calls of which only some kinds are allowed, by number on each machine. */
export const conditionalCalls = {
  personality: { x64: 135, arm64: 92 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const;

/** Calls that are refused for one of their arguments, and why. The kernel takes 32 bits of each of these. */
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
      'the first four type into another terminal (CVE-2017-5226) or change its driver; ' +
      'the others load a module for bridges or virtual networks before they look at who asks',
    call: ['ioctl', 16, 29],
    argument: 1,
    refused: {
      values: {
        ...{ TIOCSTI: 0x5412, TIOCLINUX: 0x541c, TIOCSETD: 0x5423, TIOCCONS: 0x541d },
        ...{ SIOCGIFBR: 0x8940, SIOCSIFBR: 0x8941, SIOCBRADDBR: 0x89a0, SIOCBRDELBR: 0x89a1 },
        ...{ SIOCGIFVLAN: 0x8982, SIOCSIFVLAN: 0x8983 },
      },
    },
    error: 'notPermitted',
  },
  {
    why: 'a lease makes a program of the host wait that opens the file; a notice shows what it does in a folder',
    call: ['fcntl', 72, 25],
    argument: 1,
    refused: { values: { F_SETLEASE: 1024, F_NOTIFY: 1026 } },
    error: 'notPermitted',
  },
  // Huge pages come from a pool of the whole machine, which no bound on memory counts; a pool that is empty answers alike.
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

/**
 * Socket families that a skill may use: the two of the Internet (which end at its own loopback), and netlink, from which
 * programs learn that there is only that. Local ones can only be made in pairs: a socket that lies in a granted folder
 * is a door to whoever listens there, and a read-only mount does not close it. vsock, raw packets, kernel crypto and the
 * rest are not divided by namespaces or have been ways into the kernel.
 *
 * Of each only the types and protocols that programs without rights use (streams and datagrams, TCP and UDP, and of netlink
 * the routing table): the kernel would load a module for another, or speak one that nothing here needs (MPTCP). Protocol 0
 * is the usual one of a type.
 */
export const allowedSockets: readonly {
  name: string;
  family: number;
  types: readonly number[];
  protocols: readonly number[];
}[] = [
  { name: 'AF_INET', family: 2, types: [1, 2], protocols: [0, 6, 17] },
  { name: 'AF_INET6', family: 10, types: [1, 2], protocols: [0, 6, 17] },
  { name: 'AF_NETLINK', family: 16, types: [2, 3], protocols: [0] },
];

/** The rest of a type's argument are flags. */
export const socketTypeBits = 0xf;

/** Only the plain execution domain, and asking for it; others switch protections off. */
export const allowedPersonalities: readonly number[] = [0, 0xffff_ffff];

/**
 * The only family and type that pairs are made of: `AF_UNIX` and `SOCK_STREAM`. A sender of another type can wait with
 * descriptors in its message that the kernel has not counted yet, and many of them together then exceed their bound.
 */
export const pair = { family: 1, type: 1 } as const;

/**
 * Calls that give a file its mode, with the argument that holds it; and for those that open, the one with the flags,
 * which says whether there is a mode at all. Setuid and setgid are refused in it: in a folder that is granted to write,
 * such a file would be a program of its owner's for every user of the host. `openat2` keeps its mode in memory, where no
 * filter can look, so it does not exist here.
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

/** `O_CREAT | __O_TMPFILE`, alike on both machines. */
export const creatingFlags = 0o100 | 0o20000000;
