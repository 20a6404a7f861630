// Threat model: T190, T191

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../packages/core/src/execute.ts';
import { wasmExecutor } from '../../packages/runtime/src/index.ts';
import { noState } from '../../packages/runtime/src/testing/no-state.ts';
import { type SandboxedExecutor, sandboxed } from '../contract/support/sandboxed.ts';

/**
 * Takes over the interpreter: bytecode that no compiler writes loads an object from an address of its choice. The
 * object is a forged bytearray over the whole memory, which the script can then read and write.
 */
const takeOver = `import hashlib, json, os, struct, sys

def forged():
    # Reference count, type, size, allocated, bytes, start, exports.
    fake = struct.pack("<IIIIIII", 1 << 20, id(bytearray), 0x7FFFFFFF, 0x7FFFFFFF, 0, 0, 1)
    pointer = struct.pack("<I", id(fake) + 16)
    constants = (None,)
    # LOAD_CONST does not check its index.
    index = ((id(pointer) + 16 - id(constants) - 12) // 4) & 0xFFFFFFFF
    a, b, c, d = index.to_bytes(4, "big")
    code = bytes([151, 0, 144, a, 144, b, 144, c, 100, d, 83, 0])
    body = (lambda: 0).__code__.replace(co_code=code, co_consts=constants, co_stacksize=4)
    forged.kept = fake, pointer, constants, body
    return eval(body)

memory = forged()
memory_bytes = 15 << 20

def places(needle):
    found, at = 0, memory.find(needle, 0, memory_bytes)
    while at >= 0:
        found += 1
        at = memory.find(needle, at + 1, memory_bytes)
    return found

def digest(text):
    return hashlib.sha256(text.encode()).digest()
`;

describe('a taken-over Python interpreter', () => {
  let world: SandboxedExecutor;
  beforeAll(async () => {
    // One host process: the calls follow each other in it.
    world = await sandboxed((sandbox) => wasmExecutor({ sandbox, state: noState, hosts: 1, hostsMax: 1 }));
  });
  afterAll(() => world.close());

  async function run(script: string): Promise<Outcome> {
    const run = { runtime: 'wasm', protocol: 'command', entry: 'run.py' };
    const grant = await world.skill(run, { 'run.py': script });
    const input = { protocol: 'command' as const, args: [], stdin: '' };
    return (await world.executor.execute(grant, input, new AbortController().signal)).outcome;
  }
  const printed = (stdout: string): Outcome => ({
    status: 'succeeded',
    output: { exitCode: 0, stdout, stderr: '' },
  });

  test('reads its whole memory, and finds nothing of the call before', async () => {
    const secrets =
      'import hashlib\nkept = [hashlib.sha256(b"another call").digest() for _ in range(1000)]\nopen("/tmp/secret", "wb").write(kept[0])\nprint(len(kept))\n';
    expect(await run(secrets)).toEqual(printed('1000\n'));
    const script = `${takeOver}
own = [digest("this call") + bytes([count]) for count in range(3)]
# Each needle is itself in memory once.
print(places(digest("this call")) - 1, places(digest("another call")) - 1)
`;
    expect(await run(script)).toEqual(printed('3 0\n'));
  });

  test('changes the interpreter for its own call only', async () => {
    const script = `${takeOver}
# The text of a constant in the snapshot.
at = memory.find(b"Infinity", 0, memory_bytes)
memory[at : at + 8] = b"Poisoned"
names = [json.dumps(float("inf")), places(b"Poisoned") > 0]
for at in range(8 << 20, 12 << 20, 4096):
    memory[at] = 0x41
os.write(1, json.dumps(names[1]).encode())
os._exit(0)
`;
    expect((await run(script)).status).toMatch(/^(?:succeeded|failed)$/);
    expect(await run('import json\nprint(json.dumps(float("inf")), json.loads("[1]"))\n')).toEqual(
      printed('Infinity [1]\n'),
    );
  });

  test('reaches no file, process or connection outside, whatever it calls', async () => {
    const script = `${takeOver}
import _ambit, socket
def attempt(run):
    try:
        return str(run())
    except (OSError, AttributeError, ValueError) as error:
        return type(error).__name__

print(json.dumps([
    attempt(lambda: open("/etc/passwd").read()),
    attempt(lambda: os.listdir("/ambit")),
    attempt(lambda: os.open("../../../../etc/passwd", os.O_RDONLY)),
    attempt(lambda: os.listdir("/proc")),
    attempt(lambda: [os.read(file, 1) for file in range(7, 64)]),
    attempt(lambda: socket.create_connection(("127.0.0.1", 1))),
    attempt(lambda: _ambit.invoke("exec", '["/bin/sh"]')),
    attempt(lambda: _ambit.invoke("read_file", '["../../etc/passwd"]')),
]))
`;
    const [absent, denied] = ['FileNotFoundError', 'PermissionError'];
    const attempts = [absent, absent, denied, absent, 'OSError', 'gaierror', 'OSError', 'OSError'];
    expect(await run(script)).toEqual(printed(`${JSON.stringify(attempts).replaceAll(',', ', ')}\n`));
    expect(
      await run(`${takeOver}\n_ambit = __import__("_ambit")\n_ambit.invoke("env", '["PATH"]')\n`),
    ).toEqual({
      status: 'capability-violated',
      capability: 'env',
      detail: 'env asks for PATH',
      stdout: '',
      stderr: '',
    });
  });

  test('that reads beyond its memory only ends its own call', async () => {
    expect(await run(`${takeOver}\nprint(memory[0x7FFFFFF0])\n`)).toMatchObject({
      status: 'failed',
      failure: { trap: expect.stringContaining('memory access out of bounds') },
    });
    expect(await run('print("next")\n')).toEqual(printed('next\n'));
  });
});
