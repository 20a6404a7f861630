// Threat model: T189, T191, T193

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '../../packages/core/src/execute.ts';
import type { WorkspaceFile } from '../../packages/core/src/workspace.ts';
import { wasmExecutor } from '../../packages/runtime/src/index.ts';
import { noState } from '../../packages/runtime/src/testing/no-state.ts';
import { type SandboxedExecutor, sandboxed } from '../contract/support/sandboxed.ts';
import { type BadProgram, badPrograms, memoryBytes, witness } from './support/python/bad-programs.ts';

let world: SandboxedExecutor;

beforeAll(async () => {
  // One host process: a call has the process of the call before, unless that was replaced.
  world = await sandboxed((sandbox) => wasmExecutor({ sandbox, state: noState, hosts: 1, hostsMax: 1 }));
});
afterAll(() => world.close());

async function run(
  { source, files, limits }: Pick<BadProgram, 'source' | 'files' | 'limits'>,
  given: readonly WorkspaceFile[] = [],
): Promise<RunResult> {
  const grant = await world.skill(
    {
      runtime: 'wasm',
      protocol: 'command',
      entry: 'run.py',
      capabilities: { filesystem: { write: ['workspace'] } },
      limits: { timeoutMs: 60_000, memoryBytes, outputBytes: 1000, ...limits },
    },
    { ...files, 'run.py': source },
  );
  const input = { protocol: 'command' as const, args: [], stdin: '', files: given };
  return world.executor.execute(grant, input, new AbortController().signal);
}

/** Returns the findings of a clean call, and the fuel that it takes. */
async function clean(): Promise<object> {
  const { outcome, usage } = await run({ source: witness, limits: { outputBytes: 100_000 } });
  return { outcome, fuel: usage.fuelConsumed };
}

describe('a bad Python program', () => {
  let before: object;
  beforeAll(async () => {
    before = await clean();
    expect(before).toMatchObject({ outcome: { status: 'succeeded' } });
  });

  test.each(badPrograms)(
    'that $claim ends with its own outcome, and leaves nothing to the next call',
    async (program) => {
      const { outcome } = await run(program);
      expect(outcome).toEqual(program.outcome);
      expect(await clean()).toEqual(before);
    },
  );

  test('that reads and makes almost 10,000 files gets all of them back', async () => {
    const given = Array.from({ length: 5_000 }, (_, index) => ({
      path: `given/${index}.txt`,
      content: Buffer.from(`${index}`),
    }));
    const source = `import os
print(sum(int(open(f"given/{name}").read()) for name in os.listdir("given")))
for number in range(4_900):
    with open(f"made-{number}", "w") as file:
        file.write("x")
`;
    const { outcome, files } = await run({ source }, given);
    expect(outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: '12497500\n', stderr: '' },
    });
    expect(files?.length).toBe(4_900);
    expect(await clean()).toEqual(before);
  });
});
