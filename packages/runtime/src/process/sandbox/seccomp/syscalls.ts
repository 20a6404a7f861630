/** The supported architectures, by Node's name. */
export type Architecture = 'x64' | 'arm64';

/** A system call's number on each architecture; `null` if it does not exist there. */
export type SystemCall = readonly [name: string, x64: number | null, arm64: number | null];

/**
 * System calls that no skill may make, and why. All other calls up to `highestKnown` are allowed;
 * newer ones do not exist for skills.
 *
 * Numbers: `asm/unistd_64.h` for x86-64, `asm-generic/unistd.h` for arm64. From 424 on they are
 * equal.
 */
export const refusedCalls: readonly { why: string; calls: readonly SystemCall[] }[] = [
  {
    why: 'the mount tree is the sandbox',
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
    why: 'new namespaces give capabilities, and with them most of the kernel’s attack surface',
    calls: [
      ['unshare', 272, 97],
      ['setns', 308, 268],
    ],
  },
  {
    why: 'access to other processes',
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
    why: 'keyrings are not separated by namespaces',
    calls: [
      ['add_key', 248, 217],
      ['request_key', 249, 218],
      ['keyctl', 250, 219],
    ],
  },
  {
    why: 'programs and rings that run inside the kernel, where this filter does not apply',
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
    why: 'swap, accounting, quotas, the kernel log and the host’s names belong to the whole machine',
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
    why: 'hardware access, and obsolete calls',
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
    why: 'file handles bypass paths, and the mounts that hide files',
    calls: [
      ['name_to_handle_at', 303, 264],
      ['open_by_handle_at', 304, 265],
      ['fanotify_init', 300, 262],
      ['fanotify_mark', 301, 263],
    ],
  },
  {
    why: 'moving memory between nodes, and memory that the host cannot inspect',
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
 * Calls that return `ENOSYS`, and why. Programs expect these to be missing on some systems and fall
 * back (`tail -f` polls).
 */
export const absentCalls: readonly { why: string; calls: readonly SystemCall[] }[] = [
  {
    why: 'their flags are in memory, which a filter cannot read; libraries fall back to clone and openat',
    calls: [
      ['clone3', 435, 435],
      ['openat2', 437, 437],
    ],
  },
  {
    why: 'inotify shows what host programs do with mounted files, and its instances are counted per user',
    calls: [
      ['inotify_init', 253, null],
      ['inotify_init1', 294, 26],
    ],
  },
  {
    why: 'requests are limited for the whole machine: one skill could leave none for a database',
    calls: [['io_setup', 206, 0]],
  },
];

/**
 * The last call that this table knows (`mseal`, Linux 6.10). Later ones fail as if they did not
 * exist.
 */
export const highestKnown = 462;
