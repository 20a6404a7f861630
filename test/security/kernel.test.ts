import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackingSkill, type Finding, findings, type Stage, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { hostPython } from './support/host-python.ts';

const refused = 'EPERM';
const unknown = 'ENOSYS';

/** What becomes, outside every sandbox, of a process that makes a call as 32-bit programs do. */
const foreignCall = process.arch === 'x64' ? await callOf32Bits() : 'none';

const attacks: [attack: string, got: unknown, permitted: unknown][] = [
  ['mount and its kin', refused, true],
  ['unshare and setns', refused, 'uts'],
  ['clone into any new namespace', [refused], 7],
  ['clone with flags above the lower half of its argument', refused, 7],
  ['clone3, whose flags lie in memory', unknown, true],
  ['looking into other processes', refused, true],
  ['attaching to its own first process', refused, null],
  ['keyrings', refused, true],
  ['bpf', refused, 0],
  ['perf events', refused, true],
  ['io_uring', refused, true],
  ['userfaultfd', refused, 4096],
  ['modules and other kernels', refused, 'Linux'],
  ['the clock of the machine', refused, true],
  ['what else belongs to the whole machine', refused, 'ambit'],
  ['hardware, and calls of long ago', refused, expect.any(Number)],
  ['files by handle', refused, true],
  ['memory between nodes, and memory that nobody can look into', refused, null],
  ['calls that the kernel has learned since', unknown, true],
  ['the numbers of x32', unknown, true],
  ['numbers beyond the lower half of the register', refused, true],
  // A kernel without that way ends the process by itself; arm64 has it in programs of 32 bits only.
  ['calls in the way of 32-bit programs', foreignCall === 'answered' ? 'SIGSYS' : foreignCall, true],
  ['typing into a terminal', [refused, refused], 'typed\n'],
  ['typing into a terminal, with a number whose upper half the kernel cuts off', refused, 8],
  ['other requests that reach beyond a terminal', [refused], true],
  ['another personality', [refused], 0],
  ['watching what others do with files', [unknown, refused], []],
  ['a lease on a file, for which others have to wait', [refused, refused], 2],
  ['requests that are counted for the whole machine', unknown, true],
  ['huge pages, of which the machine has a pool', ['ENOMEM'], 'mapped'],
  ['a limit for core dumps under which a crash starts a program of the host', [1, 1], [100, 200]],
  ['switching the filter off', expect.toBeOneOf(['EINVAL', refused]), ['2']],
];

describe.each(callers)('as $name', (caller) => {
  let ground: Stage;
  let found: Record<string, Finding>;

  beforeAll(async () => {
    ground = await stage(caller);
    const skill = await attackingSkill(ground.folder, 'kernel.py');
    found = await findings(ground.program, skill, { given: { foreignCall } });
  });
  afterAll(() => ground.close());

  test.each(attacks)('%s', (name, attack, permitted) => {
    expect(found[name]).toEqual({ attack, permitted });
  });

  test('every attack of the script is one of these', () => {
    expect(Object.keys(found).sort()).toEqual(attacks.map(([name]) => name).sort());
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
