import type { Execution } from '@ambit/core';
import { describe, expect, test } from 'vitest';
import { answered, authorization, httpWorld, logFull, skillOf } from './testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };

describe('POST /skills/:id/execute', () => {
  test('answers with what core says of the call, and leaves one line in the log', async () => {
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
      door: 'http',
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

  const endings: Execution['outcome'][] = [
    { status: 'failed', failure: { exitCode: 3 }, stderr: 'no' },
    { status: 'timed-out', timeoutMs: 10 },
    { status: 'out-of-memory', memoryBytes: 10 },
    { status: 'out-of-fuel', fuel: 10 },
    { status: 'output-too-large', outputBytes: 10 },
    { status: 'output-invalid', detail: 'no JSON', stderr: '' },
    { status: 'capability-violated', capability: 'network', detail: 'a.example' },
    { status: 'canceled', reason: 'stopped' },
  ];
  test.each(endings)('answers 200 for a run that is $status: the call was answered', async (outcome) => {
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
    'hands the input %j over as it is',
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

  test('hands over where the call comes from', async () => {
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

  test('hands args and stdin over to a skill that speaks protocol command', async () => {
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

  test('ends a call that runs when the daemon stops, and still answers it', async () => {
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

describe('GET /skills', () => {
  const broken = [{ id: 'bent', root: '/skills/bent', problem: 'no description' }];
  const skills = [
    skillOf(
      'csv-profile',
      'version: 1.2.3\ntags: [data]\nrun: { runtime: wasm, entry: a.wasm }',
      'Columns and types of a table.',
    ),
    skillOf('code-review', 'tags: [quality]', 'Reviews a change.'),
  ];

  test('lists the skills, and the folders that cannot be used', async () => {
    const { app, events } = httpWorld({ skills, broken });
    const answer = await app.inject({ url: '/skills', headers });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({
      status: 200,
      body: {
        skills: [
          {
            id: 'csv-profile',
            name: 'csv-profile',
            description: 'Columns and types of a table.',
            version: '1.2.3',
            tier: 'local',
            digest: 'sha256:csv-profile',
            executable: true,
            warnings: [],
          },
          {
            id: 'code-review',
            name: 'code-review',
            description: 'Reviews a change.',
            version: null,
            tier: 'local',
            digest: 'sha256:code-review',
            executable: false,
            warnings: [],
          },
        ],
        broken,
        brokenCount: 1,
        next: null,
      },
    });
    expect(events).toEqual([]);
  });

  test.each([
    ['executable=true', ['csv-profile']],
    ['executable=false', ['code-review']],
    ['q=TABLE', ['csv-profile']],
    ['q=quality', ['code-review']],
    ['q=review+change', ['code-review']],
    ['q=review+table', []],
    ['q=', ['csv-profile', 'code-review']],
    ['q=e&executable=true', ['csv-profile']],
  ])('with %s', async (query, ids) => {
    const answer = await httpWorld({ skills }).app.inject({ url: `/skills?${query}`, headers });
    expect(answer.json().skills.map(({ id }: { id: string }) => id)).toEqual(ids);
  });
});

describe('GET /skills/:id', () => {
  test('shows how to call a skill, and neither its body nor where it lies', async () => {
    const skill = skillOf(
      'csv-profile',
      'version: 1.2.3\nrun: { runtime: wasm, entry: a.wasm, input: { type: object } }',
    );
    const answer = await httpWorld({ skills: [skill] }).app.inject({ url: '/skills/csv-profile', headers });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({
      status: 200,
      body: {
        id: 'csv-profile',
        name: 'csv-profile',
        description: 'A skill of a test.',
        version: '1.2.3',
        tier: 'local',
        digest: 'sha256:csv-profile',
        executable: true,
        warnings: [],
        files: [{ path: 'SKILL.md', bytes: 42, sha256: 'f' }],
        scripts: [],
        run: {
          runtime: 'wasm',
          protocol: 'json',
          input: { type: 'object' },
          output: null,
          capabilities: {
            filesystem: { read: [], write: [] },
            network: [],
            env: [],
            secrets: [],
            exec: [],
            state: 'none',
            memory: 'none',
          },
          limits: { processes: 32, outputBytes: 1048576 },
        },
      },
    });
  });

  test('shows a skill with nothing to run', async () => {
    const answer = await httpWorld({ skills: [skillOf('code-review', '')] }).app.inject({
      url: '/skills/code-review',
      headers,
    });
    expect(answer.json()).toMatchObject({ id: 'code-review', executable: false, run: null });
  });
});

describe('GET /audit', () => {
  test('shows what the log answers', async () => {
    const page = { records: [], next: 7 };
    const answer = await httpWorld({ page }).app.inject({ url: '/audit', headers });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status: 200, body: page });
  });

  test.each([
    ['', { limit: 50 }],
    ['?limit=200&before=12', { limit: 200, before: 12 }],
    ['?skill=csv-profile&outcome=timed-out', { skill: 'csv-profile', outcome: 'timed-out', limit: 50 }],
    ['?outcome=denied&executionId=e1', { outcome: 'denied', executionId: 'e1', limit: 50 }],
    ['?outcome=running', { outcome: 'running', limit: 50 }],
  ])('asks the log with "%s"', async (query, asked) => {
    const { app, queries } = httpWorld();
    await app.inject({ url: `/audit${query}`, headers });
    expect(queries).toEqual([asked]);
  });
});

test('GET /healthz says to anybody that the daemon lives, whatever else does not', async () => {
  const { app, events } = httpWorld({ unready: logFull, page: logFull });
  const answer = await app.inject({ url: '/healthz', headers: { host: '127.0.0.1' } });
  expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status: 200, body: { status: 'ok' } });
  expect(events).toEqual([]);
});

describe('GET /readyz', () => {
  const ask = async (options: Parameters<typeof httpWorld>[0]) => {
    const { app, events } = httpWorld(options);
    const answer = await app.inject({ url: '/readyz', headers: { host: '127.0.0.1' } });
    return { status: answer.statusCode, body: answer.json(), events };
  };

  test('says to anybody that calls are taken', async () => {
    expect(await ask({})).toEqual({
      status: 200,
      body: { status: 'ready', configuration: 'current', checks: { disk: 'ok', audit: 'ok' } },
      events: [],
    });
  });

  test('says during a stop that they are not, and that the daemon is alive', async () => {
    const { app, drain, events } = httpWorld();
    drain();
    const [ready, alive] = await Promise.all(
      ['/readyz', '/healthz'].map((url) => app.inject({ url, headers: { host: '127.0.0.1' } })),
    );
    expect([ready?.statusCode, ready?.json(), alive?.statusCode, alive?.json(), events]).toEqual([
      ...[503, { status: 'unavailable', code: 'SHUTTING_DOWN', checks: {} }, 200, { status: 'ok' }, []],
    ]);
  });

  test('says with what calls are refused, and nothing of the machine', async () => {
    expect(await ask({ unready: logFull })).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        code: 'AUDIT_UNAVAILABLE',
        checks: { disk: 'ok', audit: 'AUDIT_UNAVAILABLE' },
      },
      events: [],
    });
  });
});

describe('comes in', () => {
  test.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1:7433',
    '127.8.9.10',
    '[::1]:7433',
    'ambit.example',
    'AMBIT.example:443',
    '[2001:db8::1]:7433',
  ])('a request to %s', async (host) => {
    const { app } = httpWorld({ hosts: ['ambit.example', '2001:db8::1'] });
    expect((await app.inject({ url: '/skills', headers: { host, authorization } })).statusCode).toBe(200);
  });

  test.each([
    ['localhost:7433', 'http://localhost:7433'],
    ['Localhost:7433', 'http://localhost:7433'],
    ['ambit.example', 'https://ambit.example'],
  ])('a page of the server itself, at %s from %s', async (host, origin) => {
    const { app } = httpWorld({ hosts: ['ambit.example'] });
    expect((await app.inject({ url: '/skills', headers: { host, origin, authorization } })).statusCode).toBe(
      200,
    );
  });
});

/** Why a signal was aborted, once it is. */
async function abortion(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve((signal.reason as Error).message));
  });
}
