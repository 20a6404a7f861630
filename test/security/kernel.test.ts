// Threat model: T45, T46, T49, T100

import { describe, expect } from 'vitest';
import { type AttackTable, attackingSkill, findings, stage, testAttacks } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { hostPython } from './support/host-python.ts';

const refused = 'EPERM';
const unknown = 'ENOSYS';

/** The end, outside every sandbox, of a process that makes a 32-bit system call. */
const foreignCall = process.arch === 'x64' ? await callOf32Bits() : 'none';

const attacks: AttackTable = [
  ['mount and related calls', refused, true],
  ['unshare and setns', refused, 'uts'],
  ['clone into any new namespace', [refused], 7],
  ['clone with flags in the upper half of its argument', refused, 7],
  ['clone3, whose flags are in memory', unknown, true],
  ['access to other processes', refused, true],
  ['attaching to its own first process', refused, null],
  ['keyrings', refused, true],
  ['bpf', refused, 0],
  ['perf events', refused, true],
  ['io_uring', refused, true],
  ['userfaultfd', refused, 4096],
  ['modules and other kernels', refused, 'Linux'],
  ['the machine’s clock', refused, true],
  ['other settings of the whole machine', refused, 'ambit'],
  ['hardware access, and obsolete calls', refused, expect.any(Number)],
  ['file handles', refused, true],
  ['moving memory between nodes, and secret memory', refused, null],
  ['calls newer than the filter', unknown, true],
  ['the numbers of x32', unknown, true],
  ['call numbers in the upper half of the register', refused, true],
  // A kernel without 32-bit calls kills the process itself; arm64 has them only in 32-bit programs.
  ['32-bit system calls', foreignCall === 'answered' ? 'SIGSYS' : foreignCall, true],
  ['typing into a terminal', [refused, refused], 'typed\n'],
  ['typing into a terminal, with a request number above 32 bits', refused, 8],
  ['other terminal requests with effects outside the terminal', [refused], true],
  ['another execution domain', [refused], 0],
  ['watching the file accesses of other programs', [unknown, refused], []],
  ['a file lease, which blocks other programs', [refused, refused], 2],
  ['asynchronous I/O requests, limited for the whole machine', unknown, true],
  ['huge pages from the machine’s pool', ['ENOMEM'], 'mapped'],
  ['a core limit with which a crash starts a host program', [1, 1], [100, 200]],
  ['disabling the filter', expect.toBeOneOf(['EINVAL', refused]), ['2']],
];

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);

  testAttacks(attacks, async () => {
    const skill = await attackingSkill(ground.folder, 'kernel.py');
    return findings(ground.program, skill, { given: { foreignCall } });
  });
});

async function callOf32Bits(): Promise<string> {
  return hostPython(`
import ctypes, mmap, os, signal
child = os.fork()
if child == 0:
    memory = mmap.mmap(-1, 4096, prot=7)
    memory.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print(signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else 'answered')
`);
}
