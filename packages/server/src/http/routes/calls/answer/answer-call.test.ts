// Threat model: T266, T268

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CallEvent } from '@ambit/api';
import { isCallEvent } from '@ambit/core/audit';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  answered,
  authorization,
  type HttpWorld,
  type HttpWorldOptions,
  httpWorld,
} from '../../../testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };
const events = { ...headers, accept: 'text/event-stream' };

async function post(
  { app }: HttpWorld,
  more: Record<string, string> = {},
  payload: object = { input: 1 },
  url = '/skills/counter/execute',
): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url, headers: { ...headers, ...more }, payload });
}

async function get({ app }: HttpWorld, url: string, more: Record<string, string> = {}) {
  return app.inject({ url, headers: { ...headers, ...more } });
}

/** The events of a stream: id, name and data. Checks each against the contract. */
function eventsIn(body: string): [number, string, unknown][] {
  return body
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const [, id = '', name = '', data = ''] = /^(?:id: (\d+)\n)?event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      const event = { event: name, data: JSON.parse(data) };
      expect(CallEvent.parse(event)).toEqual(event);
      return [Number(id), event.event, event.data];
    });
}

/** A world whose runs end on request or when aborted. */
function held(options: HttpWorldOptions = {}) {
  const end = Promise.withResolvers<void>();
  const running = Promise.withResolvers<void>();
  const world = httpWorld({
    ...options,
    async execute(_, signal) {
      running.resolve();
      await Promise.race([end.promise, signal.aborted || once(signal, 'abort')]);
      if (!signal.aborted) return answered;
      return { ...answered, outcome: { status: 'canceled', reason: (signal.reason as Error).message } };
    },
  });
  onTestFinished(() => end.resolve());
  return { world, end: end.resolve, running: running.promise };
}

describe('a call with events', () => {
  test('streams numbered events in order, and the response as the last one', async () => {
    const plain = (await post(httpWorld())).json();
    const answer = await post(httpWorld(), events);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      location: '/executions/e1',
      'cache-control': 'no-store',
    });
    expect(answer.body).toMatch(/^: following\n\n/);
    expect(eventsIn(answer.body)).toEqual([
      [1, 'queued', {}],
      [2, 'started', {}],
      [3, 'result', plain],
    ]);
  });

  test('ends with the problem if it is refused', async () => {
    const plain = (await post(httpWorld({ skills: [] }))).json();
    const answer = await post(httpWorld({ skills: [] }), events);
    expect([answer.statusCode, eventsIn(answer.body)]).toEqual([
      200,
      [
        [1, 'queued', {}],
        [2, 'problem', plain],
      ],
    ]);
  });

  test('gets a plain problem if its request is refused', async () => {
    const answer = await post(httpWorld(), events, { inputs: 1 });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'REQUEST_INVALID']);
  });

  test('streams each link of a chain', async () => {
    const steps = [{ skill: 'counter' }, { skill: 'counter' }];
    const answer = await post(httpWorld(), events, { input: 1, steps }, '/chain');
    expect(eventsIn(answer.body)).toMatchObject([
      [1, 'queued', { position: 1 }],
      [2, 'started', { position: 1 }],
      [3, 'link', { position: 1, skillId: 'counter', outcome: 'succeeded' }],
      [4, 'queued', { position: 2 }],
      [5, 'started', { position: 2 }],
      [6, 'link', { position: 2, skillId: 'counter', outcome: 'succeeded' }],
      [7, 'result', { executionId: 'e1', links: [{}, {}] }],
    ]);
  });

  test('streams each call of a batch, with its position and outcome', async () => {
    const calls = [{ skill: 'none' }, { skill: 'counter', input: 1 }, { skill: 'counter', input: 1 }];
    const answer = await post(httpWorld(), events, { calls, stopOnFailure: true }, '/batch');
    expect(eventsIn(answer.body)).toMatchObject([
      [1, 'queued', { position: 1 }],
      [2, 'call', { position: 1, skillId: 'none', outcome: 'denied', code: 'SKILL_NOT_FOUND' }],
      [3, 'result', { executionId: 'e1', results: [{ status: 404 }, { skipped: true }, { skipped: true }] }],
    ]);
    const whole = await post(httpWorld(), events, { calls: calls.slice(1, 2) }, '/batch');
    expect(eventsIn(whole.body)).toMatchObject([
      [1, 'queued', { position: 1 }],
      [2, 'started', { position: 1 }],
      [3, 'call', { position: 1, skillId: 'counter', executionId: 'e2', outcome: 'succeeded' }],
      [4, 'result', { results: [{ status: 200, answer: { executionId: 'e2' } }] }],
    ]);
  });

  test('leaves one record, and one log line each for the call and the request', async () => {
    const world = httpWorld();
    await post(world, events);
    expect(world.events.filter(isCallEvent).map(({ kind }) => kind)).toEqual([
      'call.started',
      'call.finished',
    ]);
    expect(world.lines).toMatchObject([
      { executionId: 'e1', msg: 'execution', outcome: 'succeeded' },
      { executionId: 'e1', msg: 'request', status: 200 },
    ]);
  });

  test('logs the cause of a bug', async () => {
    const world = httpWorld({ execute: () => Promise.reject(new TypeError('secret detail')) });
    const answer = await post(world, events);
    expect(eventsIn(answer.body)).toMatchObject([
      [1, 'queued', {}],
      [2, 'started', {}],
      [3, 'problem', { code: 'INTERNAL' }],
    ]);
    expect(answer.body).not.toContain('secret detail');
    expect(world.lines[0]).toMatchObject({ level: 50, msg: 'execution', err: { type: 'TypeError' } });
  });

  test('gets the first bytes while it waits in the queue', async () => {
    const { world, end } = held();
    const response = await streamed(world);
    const [first] = (await once(response, 'data')) as [Buffer];
    expect([response.statusCode, first.toString()]).toEqual([200, ': following\n\n']);
    end();
  });

  test('is canceled when its reader disconnects and none returns', async () => {
    const { world, running } = held({ executions: { graceMs: 0 } });
    const response = await streamed(world);
    response.on('error', () => undefined);
    await running;
    response.destroy();
    await vi.waitUntil(() => world.events.length === 2);
    expect(world.events[1]).toMatchObject({ kind: 'call.finished', outcome: 'canceled' });
  });
});

describe('the events of an execution', () => {
  test('can be read again after its end from any id, and 204 reports that there are no more', async () => {
    const world = httpWorld();
    const whole = eventsIn((await post(world, events)).body);
    const after = async (id: string) => get(world, '/executions/e1/events', { 'last-event-id': id });
    expect(eventsIn((await get(world, '/executions/e1/events')).body)).toEqual(whole);
    expect(eventsIn((await after('1')).body)).toEqual(whole.slice(1));
    expect((await after('3')).statusCode).toBe(204);
  });

  test('resume at the next event for an unknown id, and always include the last', async () => {
    const { world, end, running } = held();
    await post(world, { prefer: 'respond-async' });
    await running;
    const far = { 'last-event-id': '99' };
    const early = await streamed(world, { method: 'GET', path: '/executions/e1/events', headers: far });
    end();
    const result = [[3, 'result', { outcome: { status: 'succeeded' } }]];
    expect(eventsIn(await text(early))).toMatchObject(result);
    expect(eventsIn((await get(world, '/executions/e1/events', far)).body)).toMatchObject(result);
  });

  test('have a gap with the number of dropped events', async () => {
    const world = httpWorld({ executions: { eventBytesMax: 70 } });
    const steps = [{ skill: 'counter' }, { skill: 'counter' }];
    await post(world, { prefer: 'respond-async, wait=9' }, { input: 1, steps }, '/chain');
    const told = eventsIn((await get(world, '/executions/e1/events')).body);
    expect(told).toMatchObject([
      [6, 'gap', { events: 6 }],
      [7, 'result', { executionId: 'e1' }],
    ]);
  });

  test('are one record from the audit log if the execution is not stored', async () => {
    const answer = await get(
      httpWorld({ page: { records: [record] as never, next: null } }),
      '/executions/e9/events',
    );
    expect(eventsIn(answer.body)).toMatchObject([[0, 'record', { executionId: 'e9', status: 'finished' }]]);
  });
});

const record = {
  executionId: 'e9',
  actor: 'tester',
  skill: { id: 'counter' },
  startedAt: '2026-03-01T00:00:00.000Z',
  endedAt: '2026-03-01T00:00:01.000Z',
  outcome: 'interrupted',
};

describe('a response that could not be stored under its idempotency key', () => {
  const withKey = { 'idempotency-key': '"k"' };
  const unstored = () =>
    httpWorld({
      idempotency: {
        claim: async (_, begin) => ({
          is: 'new',
          job: begin(async (response) => ({ ...response, isUnstored: true })),
        }),
        sweep: async () => undefined,
      },
    });

  test('has the header Idempotency-Stored, which a stored response lacks', async () => {
    const answer = await post(unstored(), withKey);
    expect([answer.statusCode, answer.headers['idempotency-stored']]).toEqual([200, 'false']);
    expect(answer.json()).toEqual((await post(httpWorld())).json());
    const stored = httpWorld({
      idempotency: {
        claim: async (_, begin) => ({ is: 'new', job: begin(async (response) => response) }),
        sweep: async () => undefined,
      },
    });
    expect((await post(stored, withKey)).headers).not.toHaveProperty('idempotency-stored');
  });

  test('follows the event unstored in a stream', async () => {
    const answer = await post(unstored(), { ...events, ...withKey });
    expect(eventsIn(answer.body)).toMatchObject([
      [1, 'queued', {}],
      [2, 'started', {}],
      [3, 'unstored', { detail: 'a retry with this idempotency key may be refused' }],
      [4, 'result', { outcome: { status: 'succeeded' } }],
    ]);
  });

  test('is marked in the status of its execution', async () => {
    const world = unstored();
    await post(world, { ...withKey, prefer: 'respond-async' });
    expect((await get(world, '/executions/e1?wait=9')).json()).toMatchObject({
      status: 'finished',
      stored: false,
      result: { outcome: { status: 'succeeded' } },
    });
  });
});

describe('an asynchronous call', () => {
  test('gets 202 with the location of its result', async () => {
    const { world, end } = held();
    const answer = await post(world, { prefer: 'respond-async' });
    expect([answer.statusCode, answer.headers['location'], answer.headers['preference-applied']]).toEqual([
      ...[202, '/executions/e1', 'respond-async'],
    ]);
    const accepted = { executionId: 'e1', skillId: 'counter', startedAt: expect.any(String), endedAt: null };
    expect(answer.json()).toEqual({ ...accepted, status: 'queued' });
    const polled = get(world, '/executions/e1?wait=60');
    end();
    const plain = (await post(httpWorld())).json();
    expect((await polled).json()).toEqual({
      ...accepted,
      status: 'finished',
      endedAt: expect.any(String),
      outcome: 'succeeded',
      result: { ...plain, usage: { ...plain.usage, queueMs: expect.any(Number) } },
    });
  });

  test('gets its result if it ends within the wait', async () => {
    const answer = await post(httpWorld(), { prefer: 'respond-async, wait=10' });
    expect([answer.statusCode, answer.json().outcome.status]).toEqual([200, 'succeeded']);
  });

  test('gets 202 if it does not end within the wait', async () => {
    const { world, end } = held();
    const answer = await post(world, { prefer: 'respond-async, wait=0' });
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([202, 'respond-async, wait=0']);
    end();
  });

  test.each([
    [[{ skill: 'counter', input: 1 }], 'succeeded'],
    [[{ skill: 'counter', input: 1 }, { skill: 'none' }], 'denied'],
  ])('has the outcome of its batch %j: %s', async (calls, outcome) => {
    const world = httpWorld();
    await post(world, { prefer: 'respond-async' }, { calls }, '/batch');
    const { result, ...view } = (await get(world, '/executions/e1?wait=9')).json();
    expect(view).toMatchObject({ executionId: 'e1', skillId: null, status: 'finished', outcome });
    expect(result.results).toHaveLength(calls.length);
  });

  test('has its problem at the location of its result', async () => {
    const world = httpWorld({ skills: [] });
    await post(world, { prefer: 'respond-async' });
    expect((await get(world, '/executions/e1?wait=9')).json()).toMatchObject({
      status: 'finished',
      outcome: 'denied',
      problem: { code: 'SKILL_NOT_FOUND', executionId: 'e1' },
    });
  });

  test('is refused with Retry-After if its key has too many', async () => {
    const { world, end } = held({ executions: { detachedMax: 1 } });
    await post(world, { prefer: 'respond-async' });
    const refused = await post(world, { prefer: 'respond-async' });
    expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([
      503,
      'OVERLOADED',
      '7',
    ]);
    expect(world.events.at(-1)).toMatchObject({
      kind: 'request.denied',
      executionId: 'e2',
      code: 'OVERLOADED',
    });
    end();
  });

  test("gives way to another key's call if it is the latest of a key that fills the queue", async () => {
    const { world, end, running } = held({ queue: { concurrency: 1, queue: 2 } });
    for (let count = 1; count <= 3; count += 1) await post(world, { prefer: 'respond-async' });
    await running;
    Object.assign(world.rights, { actor: 'bob' });
    const other = post(world);
    expect((await get(world, '/executions/e3?wait=9')).json()).toMatchObject({
      status: 'finished',
      outcome: 'denied',
      problem: { code: 'OVERLOADED', status: 503, retryAfterSeconds: 7 },
    });
    expect(world.events.at(-1)).toMatchObject({ kind: 'call.denied', executionId: 'e3', code: 'OVERLOADED' });
    end();
    expect((await other).statusCode).toBe(200);
    expect((await get(world, '/executions/e2?wait=9')).json()).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('DELETE', () => {
  test('cancels a call whose client waits, and the client gets a response', async () => {
    const { world, running } = held();
    const call = post(world);
    await running;
    await world.app.inject({ method: 'DELETE', url: '/executions/e1', headers });
    expect((await call).json()).toMatchObject({ outcome: { status: 'canceled' } });
  });
});

test.each(['GET /executions/e1', 'GET /executions/e1/events', 'DELETE /executions/e1'])(
  '%s works for the key that started the execution and for admin, and returns 404 for another key',
  async (route) => {
    const [method = '', url = ''] = route.split(' ');
    const world = httpWorld({ rights: { actor: 'ada', scopes: ['skills:execute'] } });
    await post(world, { prefer: 'respond-async, wait=9' });
    const ask = async (of: string) => world.app.inject({ method: method as 'GET', url: of, headers });
    expect((await ask(url)).statusCode).toBe(200);
    Object.assign(world.rights, { actor: 'bob' });
    const [theirs, none] = [await ask(url), await ask(url.replace('e1', 'e7'))];
    expect([theirs.statusCode, theirs.json().detail.replace('e1', 'e7')]).toEqual([404, none.json().detail]);
    Object.assign(world.rights, { scopes: ['admin'] });
    expect((await ask(url)).statusCode).toBe(200);
  },
);

test.each([
  [
    { ...record, outcome: 'running', endedAt: null },
    { skillId: 'counter', status: 'running', detail: /not started over this transport/ },
  ],
  [
    { ...record, executionId: 'e10' },
    { skillId: null, status: 'finished', outcome: 'interrupted', detail: /is not stored/ },
  ],
])(
  'returns the status of a call that is not stored from the audit log',
  async (found, { detail, ...expected }) => {
    const world = httpWorld({ page: { records: [found] as never, next: null } });
    const { startedAt, endedAt } = found;
    expect((await get(world, '/executions/e9')).json()).toEqual({
      executionId: 'e9',
      startedAt,
      endedAt,
      ...expected,
      detail: expect.stringMatching(detail),
    });
  },
);

/** A call with events, or another request, over a real connection. */
async function streamed(
  { app }: HttpWorld,
  {
    method = 'POST',
    path = '/skills/counter/execute',
    headers: more = { 'content-type': 'application/json' } as Record<string, string>,
  } = {},
): Promise<IncomingMessage> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const sent = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { ...events, ...more },
  });
  sent.end(method === 'POST' ? '{"input":1}' : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
