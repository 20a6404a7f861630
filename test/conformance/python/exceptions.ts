/** The difference of a case's outcome in WebAssembly, and its reason. */
export interface Exception {
  reason: string;
  /** Texts of the native outcome, and those in WebAssembly. */
  differs?: readonly (readonly [string, string])[];
  /** The script fails in WebAssembly, and this is the last line of its traceback. */
  fails?: string;
}

/** By script and case. */
export const exceptions: Readonly<Record<string, Readonly<Record<string, Exception>>>> = {
  'scripts/last_digits.py': {
    runs: {
      reason: 'the C libraries differ in the last digit of some functions',
      differs: [
        ['0.5984721441039565', '0.5984721441039564'],
        ['1.9513027039072615', '1.9513027039072617'],
        ['0.0004641588833612778', '0.0004641588833612779'],
        ['1.5708044267949701', '1.5708044267949703'],
        ['49.79338592181746 ', '49.793385921817446 '],
      ],
    },
  },
  'scripts/latin1_names.py': {
    renames: {
      reason: 'the names of files are UTF-8 in WASI',
      fails: "OSError: [Errno 84] Illegal byte sequence: b'/tmp/old/caf\\xe9.txt'",
    },
  },
  'scripts/number_sizes.py': {
    runs: {
      reason: 'WebAssembly has 32 bits, its own name, and UTF-8 mode',
      differs: [
        [
          '9223372036854775807 True 8 8 64 1 -2 1152921504606846976',
          '2147483647 False 4 4 32 1073741824 -2 1073741824',
        ],
        ['848750603811160107 True linux 0 0.41877545666909954', '983481456 True wasi 1 0.6796377504811946'],
      ],
    },
  },
  'scripts/run_programs.py': {
    runs: {
      reason: 'a module starts no programs',
      fails: 'OSError: [Errno 95] wasi does not support processes.',
    },
  },
  'scripts/show_modes.py': {
    lists: {
      reason: 'WASI has no modes of files: all have the usual ones',
      differs: [
        ['drwxr-x---', 'drwxr-xr-x'],
        ['-rw-r----- plain.txt False', '-rw-r--r-- plain.txt True'],
        ['-rwxr-xr-x run.sh', '-rw-r--r-- run.sh'],
      ],
    },
  },
  'scripts/thread_pool.py': {
    files: { reason: 'a module starts no threads', fails: "RuntimeError: can't start new thread" },
  },
};
