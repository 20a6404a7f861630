import type { RunResult } from '@ambit/core/execute';
import { usedNothing } from '@ambit/core/internal';
import { describe, expect, test } from 'vitest';
import { answered, authorization, httpWorld, skillOf } from '../../testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };

describe('POST /skills/:id/execute', () => {
  test("returns core's result of the call, and logs one line", async () => {
    const world = httpWorld();
    const answer = await world.app.inject({
      method: 'POST',
      url: '/skills/counter/execute',
      headers,
      payload: { input: { text: 'private' } },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      executionId: 'e1',
      outcome: { status: 'succeeded', output: { n: 1 } },
      usage: { durationMs: 5, queueMs: 1, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
      used: usedNothing,
      log: 'a word',
      audit: { sequence: 2, hash: 'sha256:h' },
    });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(world.events.map(({ kind }) => kind)).toEqual(['call.started', 'call.finished']);
    expect(world.events[0]).toMatchObject({
      executionId: 'e1',
      via: 'http',
      actor: 'tester',
      skill: { id: 'counter' },
    });
    expect(world.lines).toEqual([
      {
        level: 30,
        executionId: 'e1',
        method: 'POST',
        path: '/skills/counter/execute',
        route: '/skills/:id/execute',
        key: 'tester',
        status: 200,
        durationMs: expect.any(Number),
        bytes: Buffer.byteLength(answer.body),
        outcome: 'succeeded',
        msg: 'request',
      },
    ]);
  });

  const endings: RunResult['outcome'][] = [
    { status: 'failed', failure: { exitCode: 3 }, stderr: 'no' },
    { status: 'timed-out', timeoutMs: 10 },
    { status: 'out-of-memory', memoryBytes: 10 },
    { status: 'out-of-fuel', fuel: 10 },
    { status: 'output-too-large', outputBytes: 10 },
    { status: 'output-invalid', detail: 'no JSON', stderr: '' },
    { status: 'capability-violated', capability: 'network', detail: 'a.example' },
    { status: 'canceled', reason: 'stopped' },
  ];
  test.each(endings)('responds with 200 for a run that ended as $status', async (outcome) => {
    const world = httpWorld({ execute: async () => ({ ...answered, outcome }) });
    const answer = await world.app.inject({
      method: 'POST',
      url: '/skills/counter/execute',
      headers,
      payload: { input: 1 },
    });
    expect({ status: answer.statusCode, outcome: answer.json().outcome }).toEqual({ status: 200, outcome });
  });

  test.each([null, false, 0, '', [], {}, 'text', { constructor: { prototype: 1 } }])(
    'passes the input %j unchanged',
    async (input) => {
      const given: unknown[] = [];
      const world = httpWorld({
        execute: async (value) => {
          given.push(value);
          return answered;
        },
      });
      await world.app.inject({
        method: 'POST',
        url: '/skills/counter/execute',
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
        payload: JSON.stringify({ input }),
      });
      expect(given).toEqual([{ protocol: 'json', value: input }]);
    },
  );

  test('passes the context of the call', async () => {
    const { app, contexts } = httpWorld();
    const context = { memory: ['a note', { text: 'another' }], phase: 'plan' };
    await app.inject({
      method: 'POST',
      url: '/skills/counter/execute',
      headers,
      payload: { input: 1, context },
    });
    expect(contexts).toEqual([{ executionId: 'e1', caller: context }]);
  });

  test('passes args and stdin to a skill with protocol command', async () => {
    const given: unknown[] = [];
    const world = httpWorld({
      skills: [skillOf('tool', 'run: { runtime: process, entry: a, protocol: command }')],
      execute: async (value) => {
        given.push(value);
        return answered;
      },
    });
    await world.app.inject({
      method: 'POST',
      url: '/skills/tool/execute',
      headers,
      payload: { args: ['-n', ''], stdin: 'ü\n' },
    });
    expect(given).toEqual([{ protocol: 'command', args: ['-n', ''], stdin: 'ü\n' }]);
  });

  const sidecar =
    'run: { runtime: process, entry: a, capabilities: { exec: [sh, git], state: write, filesystem: { write: [workspace] } } }';
  const requested = {
    filesystem: { read: [], write: ['workspace'] },
    network: [],
    env: [],
    secrets: [],
    exec: ['sh', 'git'],
    state: 'write',
    memory: 'none',
  };
  test.each([
    ['nothing', {}, requested],
    ['an empty object', { capabilities: {} }, requested],
    ['one kind, and only that', { capabilities: { exec: ['sh'] } }, { ...requested, exec: ['sh'] }],
    ['a kind, to nothing', { capabilities: { exec: [] } }, { ...requested, exec: [] }],
    ['half of a kind', { capabilities: { filesystem: { read: [] } } }, requested],
    [
      'the other half',
      { capabilities: { filesystem: { write: [] } } },
      { ...requested, filesystem: { read: [], write: [] } },
    ],
    ['a level', { capabilities: { state: 'read' } }, { ...requested, state: 'read' }],
  ])('narrows %s', async (_, narrowing, granted) => {
    const world = httpWorld({
      skills: [skillOf('tool', sidecar)],
      enforces: ['exec', 'state', 'filesystem.write'],
    });
    const answer = await world.app.inject({
      method: 'POST',
      url: '/skills/tool/execute',
      headers,
      payload: { input: 1, ...narrowing },
    });
    expect(answer.statusCode).toBe(200);
    expect(world.events[1]).toMatchObject({ kind: 'call.finished', granted });
  });

  test('narrows limits, and cannot raise them', async () => {
    const world = httpWorld();
    await world.app.inject({
      method: 'POST',
      url: '/skills/counter/execute',
      headers,
      payload: { input: 1, limits: { timeoutMs: 7, memoryBytes: 2 ** 50 } },
    });
    expect(world.events[1]).toMatchObject({ limits: { timeoutMs: 7, memoryBytes: 268_435_456 } });
  });

  test('cancels a running call when the daemon stops, and still responds', async () => {
    const started = Promise.withResolvers<void>();
    const world = httpWorld({
      execute: async (_, signal) => {
        started.resolve();
        return { ...answered, outcome: { status: 'canceled', reason: await abortion(signal) } };
      },
    });
    const call = world.app.inject({
      method: 'POST',
      url: '/skills/counter/execute',
      headers,
      payload: { input: 1 },
    });
    await Promise.all([started.promise.then(() => world.stop(new Error('the daemon is stopping'))), call]);
    expect((await call).json().outcome).toEqual({ status: 'canceled', reason: 'the daemon is stopping' });
    expect(world.events[1]).toMatchObject({ kind: 'call.finished', outcome: 'canceled' });
  });
});

/** Why a signal was aborted, once it is. */
async function abortion(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve((signal.reason as Error).message));
  });
}
