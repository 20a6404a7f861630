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
  const { url, asked, server } = await scriptedServer(...turns);
  return { ambit: ambitClient({ url, key: 'k', retries: quick }), url, asked, server };
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test.each<[string, Turn]>([
  ['a connection that breaks', resets],
  [
    'an answer that breaks off',
    (response) =>
      void response
        .writeHead(200, { 'content-length': '99' })
        .write('{', () => response.socket?.resetAndDestroy()),
  ],
  [
    'a refusal that breaks off',
    (response) =>
      void response
        .writeHead(404, { 'content-length': '99' })
        .write('{', () => response.socket?.resetAndDestroy()),
  ],
  ['503 with Retry-After', refuses(503, 'OVERLOADED', 0)],
  ['429', refuses(429, 'RATE_LIMITED', 0)],
])('what is safe to ask twice is asked again after %s', async (_, turn) => {
  const { ambit, asked } = await client(turn, turn, answers(skills));
  expect(await ambit.skills()).toEqual(skills);
  expect(asked.map(({ url }) => url)).toEqual(['/skills', '/skills', '/skills']);
});

test.each<[string, Turn, number, string]>([
  ['503 that says no time', refuses(503, 'AUDIT_UNAVAILABLE'), 503, 'AUDIT_UNAVAILABLE'],
  ['503 that says a long time', refuses(503, 'OVERLOADED', 3600), 503, 'OVERLOADED'],
  [
    '503 that says no time that there is',
    answers({ ...problemOf(503, 'OVERLOADED'), retryAfterSeconds: 'soon' }, 503, { 'retry-after': '0' }),
    ...([503, 'OVERLOADED'] as const),
  ],
  ['500', refuses(500, 'INTERNAL', 0), 500, 'INTERNAL'],
  ['401', refuses(401, 'UNAUTHENTICATED'), 401, 'UNAUTHENTICATED'],
])('nothing is asked again after %s', async (_, turn, status, code) => {
  const { ambit, asked } = await client(turn, answers(skills));
  const error = await caught(ambit.skills());
  expect(error).toBeInstanceOf(AmbitProblem);
  expect(error).toMatchObject({ status, code, message: `refused: ${code}`, executionId: 'e' });
  expect(asked).toHaveLength(1);
});

test('it is not asked for ever', async () => {
  const { ambit, asked } = await client(resets);
  expect(await caught(ambit.skills())).toMatchObject({ name: 'AmbitError', code: 'UNREACHABLE' });
  expect(asked).toHaveLength(5);
});

test('nor is a call with a key, nor its answer', async () => {
  const began = await client(resets);
  expect(await caught(began.ambit.execute('a', 1, { idempotencyKey: true }))).toMatchObject({
    code: 'UNREACHABLE',
  });
  expect(began.asked).toHaveLength(5);
  const runs = await client(answers(later, 202), resets);
  expect(await caught(runs.ambit.execute('a', 1, { idempotencyKey: true }))).toMatchObject({
    code: 'UNREACHABLE',
  });
  expect(runs.asked).toHaveLength(6);
});

test.each<[string, (ambit: AmbitClient) => Promise<unknown>]>([
  ['a call', (ambit) => ambit.execute('a', 1)],
  ['a chain', (ambit) => ambit.chain({ steps: [{ skill: 'a' }] })],
  ['a beginning', (ambit) => ambit.start('a', 1)],
  ['a stream', (ambit) => ambit.stream('a', 1).next()],
])('%s without a key is sent once, whatever becomes of it', async (_, begin) => {
  for (const turn of [resets, refuses(503, 'OVERLOADED', 0), refuses(429, 'RATE_LIMITED', 0)]) {
    const { ambit, asked } = await client(turn, answers(answer));
    expect(await caught(begin(ambit))).toBeInstanceOf(Error);
    expect(asked).toHaveLength(1);
  }
});

test('a call with a key is begun again under the same key, and its answer asked for', async () => {
  const { ambit, asked } = await client(
    ...[resets, refuses(503, 'OVERLOADED', 0), answers(later, 202), resets],
    answers({ ...later, status: 'finished', result: answer }),
  );
  expect(await ambit.execute('a', 1, { idempotencyKey: true })).toEqual(answer);
  const keys = asked.slice(0, 3).map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^"[0-9a-f-]{36}"$/)]));
  expect(asked.map(({ method, url, body }) => [method, url, body])).toEqual([
    ...Array(3).fill(['POST', '/skills/a/execute', '{"input":1}']),
    ...Array(2).fill(['GET', '/executions/e1?wait=60', '']),
  ]);
});

test('what a call with a key was refused for is thrown, and one that was full then is begun afresh', async () => {
  const { ambit, asked } = await client(
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
  expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual([
    '"mine"',
    undefined,
    '"mine"',
    undefined,
  ]);
});

test('an answer that is not kept under its execution any more is had under the key', async () => {
  const { ambit, asked } = await client(
    answers(later, 202),
    answers({ ...later, status: 'finished', outcome: 'succeeded', detail: 'not kept' }),
    answers(answer),
  );
  expect(await ambit.execute('a', 1, { idempotencyKey: 'mine' })).toEqual(answer);
  expect(asked.map(({ method, headers }) => [method, headers['prefer']])).toEqual([
    ['POST', 'respond-async'],
    ['GET', undefined],
    ['POST', undefined],
  ]);
});

test('who aborts a call with a key has it canceled, also one that is only beginning', async () => {
  const { ambit, asked, server } = await client(
    (response) => void server.once('let', () => answers(later, 202)(response, asked[0] as never)),
    answers({ ...later, status: 'finished', outcome: 'canceled' }),
  );
  const abort = new AbortController();
  const reason = new Error('enough');
  server.once('asked', () => abort.abort(reason));
  expect(await caught(ambit.execute('a', 1, { idempotencyKey: true, signal: abort.signal }))).toBe(reason);
  const canceled = new Promise<void>((resolve) => void server.once('asked', resolve));
  server.emit('let');
  await canceled;
  expect(asked.map(({ method, url }) => [method, url])).toEqual([
    ['POST', '/skills/a/execute'],
    ['DELETE', '/executions/e1'],
  ]);
});

test('a call with a key that is aborted before it begins is not begun', async () => {
  const { ambit, asked } = await client(answers(later, 202));
  const signal = AbortSignal.abort('no');
  expect(await caught(ambit.execute('a', 1, { idempotencyKey: true, signal }))).toBe('no');
  expect(asked).toEqual([]);
});

test('whoever waits for a call waits no longer than they said, over however many questions', async () => {
  const { ambit } = await client(answers(later));
  expect(await caught(ambit.wait('e1', { timeoutMs: 50 }))).toMatchObject({ code: 'TIMED_OUT' });
});

test('one who says at once that a call runs is not asked without a pause', async () => {
  const { url, asked } = await scriptedServer(answers(later));
  const ambit = ambitClient({ url, retries: { firstMs: 60_000 } });
  const abort = new AbortController();
  const waited = caught(ambit.wait('e1', { signal: abort.signal }));
  for (let round = 0; round < 5; round += 1) await ambit.execution('e2');
  abort.abort('enough');
  expect(await waited).toBe('enough');
  expect(asked.filter(({ url }) => url === '/executions/e1?wait=60')).toHaveLength(1);
});

test('a signal ends a request between two attempts, and the client has one for all', async () => {
  const all = new AbortController();
  const { url, server } = await scriptedServer(refuses(429, 'RATE_LIMITED', 9));
  const ambit = ambitClient({ url, signal: all.signal });
  server.once('asked', () => setImmediate(() => all.abort('the end')));
  expect(await caught(ambit.skills())).toBe('the end');
  expect(await caught(ambit.execute('a'))).toBe('the end');
});

test('what takes too long is given up, and says so', async () => {
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
  'a timeout of %d ms does not come at once',
  async (timeoutMs) => {
    const { ambit } = await client((response) => setImmediate(() => response.end(JSON.stringify(skills))));
    expect(await ambit.skills({}, { timeoutMs })).toEqual(skills);
  },
);

test('nobody there is said with the address', async () => {
  const ambit = ambitClient({ url: 'http://127.0.0.1:1', retries: quick });
  expect(await caught(ambit.skills())).toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringMatching(
      /^nothing answers at http:\/\/127\.0\.0\.1:1\/skills \(.+\): start the daemon, /,
    ),
  });
});
