// Threat model: T244

import { expect, test } from 'vitest';
import { AmbitError } from '../failure/ambit-error.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import {
  answers,
  hangs,
  problemOf,
  quick,
  refuses,
  resets,
  scriptedServer,
  type Turn,
} from '../testing/scripted-server.ts';
import type { AmbitClient } from './ambit-client.ts';
import { ambitClient } from './open-client.ts';

const position = { sequence: 1, hash: 'sha256:1' };
const usage = { durationMs: 1, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null };
const answer = {
  executionId: 'e1',
  outcome: { status: 'succeeded', output: 1 },
  usage,
  log: '',
  audit: position,
};
const skills = { skills: [], broken: [], brokenCount: 0, next: null };
const later = { executionId: 'e1', skillId: 'a', status: 'running', startedAt: '', endedAt: null };

async function client(...turns: readonly Turn[]) {
  const { url, requests, server } = await scriptedServer(...turns);
  return { ambit: ambitClient({ url, key: 'k', retries: quick }), url, requests, server };
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test.each<[string, Turn]>([
  ['a broken connection', resets],
  [
    'a truncated response',
    (response) =>
      void response
        .writeHead(200, { 'content-length': '99' })
        .write('{', () => response.socket?.resetAndDestroy()),
  ],
  [
    'a truncated refusal',
    (response) =>
      void response
        .writeHead(404, { 'content-length': '99' })
        .write('{', () => response.socket?.resetAndDestroy()),
  ],
  ['503 with Retry-After', refuses(503, 'OVERLOADED', 0)],
  ['429', refuses(429, 'RATE_LIMITED', 0)],
])('repeats a safe request after %s', async (_, turn) => {
  const { ambit, requests } = await client(turn, turn, answers(skills));
  expect(await ambit.skills()).toEqual(skills);
  expect(requests.map(({ url }) => url)).toEqual(['/skills', '/skills', '/skills']);
});

test.each<[string, Turn, number, string]>([
  ['503 without a time', refuses(503, 'AUDIT_UNAVAILABLE'), 503, 'AUDIT_UNAVAILABLE'],
  ['503 with a long time', refuses(503, 'OVERLOADED', 3600), 503, 'OVERLOADED'],
  [
    '503 with an invalid time',
    answers({ ...problemOf(503, 'OVERLOADED'), retryAfterSeconds: 'soon' }, 503, { 'retry-after': '0' }),
    ...([503, 'OVERLOADED'] as const),
  ],
  ['500', refuses(500, 'INTERNAL', 0), 500, 'INTERNAL'],
  ['401', refuses(401, 'UNAUTHENTICATED'), 401, 'UNAUTHENTICATED'],
])('does not repeat a request after %s', async (_, turn, status, code) => {
  const { ambit, requests } = await client(turn, answers(skills));
  const error = await caught(ambit.skills());
  expect(error).toBeInstanceOf(AmbitProblem);
  expect(error).toMatchObject({ status, code, message: `refused: ${code}`, executionId: 'e' });
  expect(requests).toHaveLength(1);
});

test('does not repeat a request for ever', async () => {
  const { ambit, requests } = await client(resets);
  expect(await caught(ambit.skills())).toMatchObject({ name: 'AmbitError', code: 'UNREACHABLE' });
  expect(requests).toHaveLength(5);
});

test('does not repeat a call with a key, or its wait, for ever', async () => {
  const began = await client(resets);
  expect(await caught(began.ambit.execute('a', 1, { idempotencyKey: true }))).toMatchObject({
    code: 'UNREACHABLE',
  });
  expect(began.requests).toHaveLength(5);
  const runs = await client(answers(later, 202), resets);
  expect(await caught(runs.ambit.execute('a', 1, { idempotencyKey: true }))).toMatchObject({
    code: 'UNREACHABLE',
  });
  expect(runs.requests).toHaveLength(6);
});

test.each<[string, (ambit: AmbitClient) => Promise<unknown>]>([
  ['a call', (ambit) => ambit.execute('a', 1)],
  ['a chain', (ambit) => ambit.chain({ steps: [{ skill: 'a' }] })],
  ['a start', (ambit) => ambit.start('a', 1)],
  ['a stream', (ambit) => ambit.stream('a', 1).next()],
])('sends %s without a key only once', async (_, begin) => {
  for (const turn of [resets, refuses(503, 'OVERLOADED', 0), refuses(429, 'RATE_LIMITED', 0)]) {
    const { ambit, requests } = await client(turn, answers(answer));
    expect(await caught(begin(ambit))).toBeInstanceOf(Error);
    expect(requests).toHaveLength(1);
  }
});

test('starts a call with a key again under the same key, and waits for its response', async () => {
  const { ambit, requests } = await client(
    ...[resets, refuses(503, 'OVERLOADED', 0), answers(later, 202), resets],
    answers({ ...later, status: 'finished', result: answer }),
  );
  expect(await ambit.execute('a', 1, { idempotencyKey: true })).toEqual(answer);
  const keys = requests.slice(0, 3).map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^"[0-9a-f-]{36}"$/)]));
  expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
    ...Array(3).fill(['POST', '/skills/a/execute', '{"input":1}']),
    ...Array(2).fill(['GET', '/executions/e1?wait=60', '']),
  ]);
});

test('throws the refusal of a call with a key, and starts it again if the daemon was full', async () => {
  const { ambit, requests } = await client(
    ...[
      answers(later, 202),
      answers({
        ...later,
        status: 'finished',
        problem: { ...problemOf(503, 'OVERLOADED'), retryAfterSeconds: 0 },
      }),
    ],
    ...[
      answers(later, 202),
      answers({ ...later, status: 'finished', problem: problemOf(422, 'INPUT_INVALID') }),
    ],
  );
  expect(await caught(ambit.execute('a', 1, { idempotencyKey: 'mine' }))).toMatchObject({
    code: 'INPUT_INVALID',
  });
  expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
    '"mine"',
    undefined,
    '"mine"',
    undefined,
  ]);
});

test('fetches a response that is no longer stored under its execution by its key', async () => {
  const { ambit, requests } = await client(
    answers(later, 202),
    answers({ ...later, status: 'finished', outcome: 'succeeded', detail: 'not stored' }),
    answers(answer),
  );
  expect(await ambit.execute('a', 1, { idempotencyKey: 'mine' })).toEqual(answer);
  expect(requests.map(({ method, headers }) => [method, headers['prefer']])).toEqual([
    ['POST', 'respond-async'],
    ['GET', undefined],
    ['POST', undefined],
  ]);
});

test('cancels a call with a key that is aborted, even while it starts', async () => {
  const { ambit, requests, server } = await client(
    (response) => void server.once('let', () => answers(later, 202)(response, requests[0] as never)),
    answers({ ...later, status: 'finished', outcome: 'canceled' }),
  );
  const abort = new AbortController();
  const reason = new Error('enough');
  server.once('requests', () => abort.abort(reason));
  expect(await caught(ambit.execute('a', 1, { idempotencyKey: true, signal: abort.signal }))).toBe(reason);
  const canceled = new Promise<void>((resolve) => void server.once('requests', resolve));
  server.emit('let');
  await canceled;
  expect(requests.map(({ method, url }) => [method, url])).toEqual([
    ['POST', '/skills/a/execute'],
    ['DELETE', '/executions/e1'],
  ]);
});

test('does not start a call with a key that is aborted before it starts', async () => {
  const { ambit, requests } = await client(answers(later, 202));
  const signal = AbortSignal.abort('no');
  expect(await caught(ambit.execute('a', 1, { idempotencyKey: true, signal }))).toBe('no');
  expect(requests).toEqual([]);
});

test('waits for a call no longer than its timeout, over any number of requests', async () => {
  const { ambit } = await client(answers(later));
  expect(await caught(ambit.wait('e1', { timeoutMs: 50 }))).toMatchObject({ code: 'TIMED_OUT' });
});

test('does not poll without a pause when the status is returned immediately', async () => {
  const { url, requests } = await scriptedServer(answers(later));
  const ambit = ambitClient({ url, retries: { firstMs: 60_000 } });
  const abort = new AbortController();
  const waited = caught(ambit.wait('e1', { signal: abort.signal }));
  for (let round = 0; round < 5; round += 1) await ambit.execution('e2');
  abort.abort('enough');
  expect(await waited).toBe('enough');
  expect(requests.filter(({ url }) => url === '/executions/e1?wait=60')).toHaveLength(1);
});

test('a signal ends a request between two attempts, and the client has one for all', async () => {
  const all = new AbortController();
  const { url, server } = await scriptedServer(refuses(429, 'RATE_LIMITED', 9));
  const ambit = ambitClient({ url, signal: all.signal });
  server.once('requests', () => setImmediate(() => all.abort('the end')));
  expect(await caught(ambit.skills())).toBe('the end');
  expect(await caught(ambit.execute('a'))).toBe('the end');
});

test('gives up after the timeout, with a message', async () => {
  const { url } = await scriptedServer(hangs);
  const ambit = ambitClient({ url, timeoutMs: 50 });
  const late = new AmbitError(
    'TIMED_OUT',
    'no response within 50 ms: raise timeoutMs, or check what keeps the daemon busy',
  );
  expect(await caught(ambit.skills())).toEqual(late);
  expect(await caught(ambit.execute('a', 1, { timeoutMs: 50 }))).toEqual(late);
});

test.each([3_000_000_000, Number.POSITIVE_INFINITY])(
  'a timeout of %d ms does not end immediately',
  async (timeoutMs) => {
    const { ambit } = await client((response) => setImmediate(() => response.end(JSON.stringify(skills))));
    expect(await ambit.skills({}, { timeoutMs })).toEqual(skills);
  },
);

test('names the address that it cannot reach', async () => {
  const ambit = ambitClient({ url: 'http://127.0.0.1:1', retries: quick });
  expect(await caught(ambit.skills())).toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringMatching(
      /^nothing answers at http:\/\/127\.0\.0\.1:1\/skills \(.+\): start the daemon, /,
    ),
  });
});

test.each([
  ['a skill', answer, (ambit: AmbitClient) => ambit.start('a', 1, { idempotencyKey: 'k' })],
  [
    'a batch',
    { executionId: 'e1', results: [] },
    (ambit: AmbitClient) => ambit.startBatch({ calls: [{ skill: 'a' }] }, { idempotencyKey: 'k' }),
  ],
])('the start of %s that has ended under its key has the response', async (_, body, start) => {
  const { ambit } = await client(answers(body));
  expect(await start(ambit)).toEqual({ executionId: 'e1', answer: body });
});

test('request sends any route with its parameters, and retries it only if it is a GET', async () => {
  const read = await client(resets, answers({ node: null, nodes: [] }));
  expect(await read.ambit.request('GET /cluster/nodes')).toEqual({ node: null, nodes: [] });
  const removed = await client(resets, answers({ skills: [], refused: [] }));
  const lock = { params: { id: 'acme:a b' }, body: { add: ['left-pad'] } };
  expect(await caught(removed.ambit.request('POST /installs/:id/packages', lock))).toMatchObject({
    code: 'UNREACHABLE',
  });
  expect(
    [read, removed].map(({ requests }) => requests.map(({ method, url }) => `${method} ${url}`)),
  ).toEqual([['GET /cluster/nodes', 'GET /cluster/nodes'], ['POST /installs/acme%3Aa%20b/packages']]);
});
