// Threat model: T318, T319

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant, RunResult, SkillState } from '@ambit/core/execute';
import { hostCallsMax, type UsedCapabilities, usedBounds, usedNothing } from '@ambit/core/outcome';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { bubblewrapSandbox } from '../process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { noState } from '../testing/no-state.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { hostCallsOf } from './host-calls.ts';
import type { HostUses } from './pool/host-protocol.ts';
import { usedByModule } from './used-by-module.ts';
import { wasmExecutor } from './wasm-executor.ts';

const never = new AbortController().signal;
let onGet = (): void => undefined;
const state: SkillState = { ...noState, get: async () => onGet() };
const executor = wasmExecutor({
  sandbox: bubblewrapSandbox(),
  state,
  environment: { TZ: 'UTC' },
  hosts: 1,
});
afterAll(() => executor.close?.());

async function script(body: string, capabilities: object): Promise<Grant> {
  const run = { runtime: 'wasm', entry: 'index.js', capabilities };
  return grantedSkill(run, { 'index.js': body }, { operator: capabilities });
}

async function executed(body: string, capabilities: object): Promise<RunResult> {
  return executor.execute(await script(body, capabilities), { protocol: 'json', value: {} }, never);
}

/** A folder that host processes of any user can write. */
async function openFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o777);
  return folder;
}

test('files beyond the maximum listed in a record are only counted', async () => {
  const folder = await openFolder();
  const body = `import { writeFile } from 'ambit';
    export default () => { for (let n = 0; n < 130; n++) writeFile('${folder}/' + n, ''); return null; };`;
  const { outcome, used, hostCalls } = await executed(body, { filesystem: { write: [folder] } });
  expect(outcome).toEqual({ status: 'succeeded', output: null });
  expect(used).toEqual({
    ...usedNothing,
    filesystem: {
      read: [],
      write: Array.from({ length: usedBounds.itemsMax }, (_, n) => ({ item: `${folder}/${n}`, count: 1 })),
    },
    functions: [{ item: 'write_file', count: 130 }],
    unlisted: [{ capability: 'filesystem.write', uses: 30 }],
  });
  expect([hostCalls?.listed.length, hostCalls?.unlisted]).toEqual([hostCallsMax, 30]);
});

test('refused and failed requests count as function calls but not as uses', async () => {
  const folder = await openFolder();
  await writeFile(join(folder, 'there'), '');
  const body = `import { env, readFile, stateGet, stateSet } from 'ambit';
    export default () => {
      for (const name of ['none', 'there']) try { readFile('${folder}/' + name); } catch {}
      stateGet('k');
      stateSet('k', 1);
      return null;
    };`;
  const capabilities = { filesystem: { read: [folder] }, env: ['TZ'], state: 'read' };
  const { outcome, used, hostCalls } = await executed(body, capabilities);
  expect(outcome).toMatchObject({ status: 'capability-violated', capability: 'state' });
  expect(used).toEqual({
    ...usedNothing,
    filesystem: { read: [{ item: `${folder}/there`, count: 1 }], write: [] },
    state: 'read',
    functions: [
      { item: 'read_file', count: 2 },
      { item: 'state_get', count: 1 },
      { item: 'state_set', count: 1 },
    ],
  });
  expect(hostCalls).toEqual({
    listed: [
      ['read_file', 'failed'],
      ['read_file', 'returned'],
      ['state_get', 'returned'],
      ['state_set', 'denied'],
    ].map(([name, result]) => ({ name, at: expect.any(Number), durationMs: expect.any(Number), result })),
    unlisted: 0,
  });
});

test('a run that calls no host function has no list of them', async () => {
  expect(await executed('export default () => 1;', {})).not.toHaveProperty('hostCalls');
});

test('a stopped call reports null for uses that only its host saw, and all uses that the daemon saw', async () => {
  const body = `import { env, stateGet } from 'ambit';
    export default () => { env('TZ'); stateGet('k'); for (;;); };`;
  const grant = await script(body, { env: ['TZ'], state: 'write' });
  const stop = new AbortController();
  onGet = () => stop.abort(new Error('enough'));
  const given = { protocol: 'json', value: {} } as const;
  const { outcome, used, hostCalls } = await executor.execute(grant, given, stop.signal);
  expect(outcome).toEqual({ status: 'canceled', reason: 'enough' });
  expect(used).toEqual({ ...usedNothing, env: null, state: 'read', functions: null });
  expect(hostCalls).toMatchObject({ listed: [{ name: 'state_get' }], unlisted: null });
});

describe('a compromised host', () => {
  const honest: HostUses = {
    functions: [],
    env: [],
    read: [],
    written: [],
    workspace: 0,
    hasEnvironment: false,
    more: { env: 0, read: 0, written: 0 },
  };
  const usedAs = async (uses: Partial<HostUses>): Promise<UsedCapabilities> =>
    usedByModule(
      await script('export default () => null;', { filesystem: { read: ['/granted'] }, env: ['TZ'] }),
      new Map([['state_get', 1]]),
      {
        end: {
          status: 'done',
          output: new Uint8Array(),
          changes: undefined,
          done: {
            type: 'done',
            verdict: { status: 'returned' },
            fuelConsumed: 1,
            memoryPeakBytes: 1,
            uses: { ...honest, ...uses },
          },
        },
      },
      undefined,
    );
  const asked = [{ item: 'state_get', count: 1 }];

  test('calls of host functions that a compromised host reports are within the run, and of functions that it answers', () => {
    const uses: HostUses = {
      ...honest,
      functions: [['env', 3]],
      calls: [
        ['env', 2, 1, 'returned'],
        ['env', 9e9, 9e9, 'failed'],
        ['http_request', 1, 1, 'returned'],
      ],
    };
    const verdict = { status: 'returned' } as const;
    const done = { type: 'done', verdict, fuelConsumed: 1, memoryPeakBytes: 1, uses } as const;
    const end = { status: 'done', output: new Uint8Array(), changes: undefined, done } as const;
    const pending = { name: 'state_get', at: 1003 };
    const asking = { counts: new Map([['state_get', 1]]), calls: [pending] };
    expect(hostCallsOf(asking, { end, durationMs: 10 }, 1010)).toEqual({
      listed: [
        { name: 'env', at: 1002, durationMs: 1, result: 'returned' },
        { name: 'state_get', at: 1003, durationMs: 7, result: 'unanswered' },
        { name: 'env', at: 1010, durationMs: 10, result: 'failed' },
      ],
      unlisted: 1,
    });
  });

  test('uses within the grant that a compromised host reports are recorded', async () => {
    expect(await usedAs({ read: [['/granted/a', 2]], env: [['TZ', 1]], functions: [['env', 1]] })).toEqual({
      ...usedNothing,
      filesystem: { read: [{ item: '/granted/a', count: 2 }], write: [] },
      env: [{ item: 'TZ', count: 1 }],
      functions: [{ item: 'env', count: 1 }, ...asked],
    });
  });

  test('uses beyond the grant, or counted by the daemon, that a compromised host reports are ignored', async () => {
    const lies: Partial<HostUses> = {
      read: [['/etc/shadow', 1]],
      written: [['/granted/a', 1]],
      env: [['PATH', 1]],
      workspace: 3,
      functions: [
        ['state_get', 9],
        ['format_disk', 1],
      ],
    };
    expect(await usedAs(lies)).toEqual({ ...usedNothing, functions: asked });
  });
});
