import { readFileSync } from 'node:fs';
import type { RunResult } from '@ambit/core/execute';
import { afterAll, describe, expect, test } from 'vitest';
import { isWhole } from '../../../../test/support/whole.ts';
import { bubblewrapSandbox } from '../process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { noState } from '../testing/no-state.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { echoPlugin } from './testing/module-of.ts';
import { wasmExecutor } from './wasm-executor.ts';

const sandbox = bubblewrapSandbox();
const executor = wasmExecutor({ sandbox, state: noState, hosts: 2 });
afterAll(async () => {
  await executor.close?.();
  await sandbox.close?.();
});

const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`./testing/fixtures/${name}`, import.meta.url));
const value = { text: 'ü€😀', list: [1, 2, 3] };

describe.each<[string, string, string | Uint8Array]>([
  ['an Extism plug-in', 'skill.wasm', echoPlugin()],
  ['a WASI command', 'skill.wasm', fixture('echo.wasm')],
  ['a script', 'index.js', 'export default (input) => JSON.parse(JSON.stringify(input));'],
])('the fuel of %s', (_, entry, content) => {
  const call = async (fuel?: number): Promise<RunResult> => {
    const limits = fuel === undefined ? {} : { fuel };
    const grant = await grantedSkill({ runtime: 'wasm', entry, limits }, { [entry]: content });
    return executor.execute(grant, { protocol: 'json', value }, new AbortController().signal);
  };

  test('fuel is the same in every call on any host', async () => {
    const grant = await grantedSkill({ runtime: 'wasm', entry }, { [entry]: content });
    const used = new Set<number | null>();
    const lane = async (): Promise<void> => {
      for (let count = 0; count < (isWhole ? 500 : 25); count++) {
        const execution = await executor.execute(
          grant,
          { protocol: 'json', value },
          new AbortController().signal,
        );
        used.add(execution.usage.fuelConsumed);
      }
    };
    await Promise.all([lane(), lane()]);
    expect(used.size).toBe(1);
    expect([...used][0]).toBeGreaterThan(0);
  });

  test('exactly the used fuel suffices, and one less does not', async () => {
    const { usage } = await call();
    const fuel = usage.fuelConsumed ?? 0;
    expect(await call(fuel)).toMatchObject({
      outcome: { status: 'succeeded', output: value },
      usage: { fuelConsumed: fuel },
    });
    expect(await call(fuel - 1)).toMatchObject({
      outcome: { status: 'out-of-fuel', fuel: fuel - 1 },
      usage: { fuelConsumed: fuel - 1 },
    });
  });
});
