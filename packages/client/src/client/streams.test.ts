// Threat model: T246

import { expect, test } from 'vitest';
import {
  answers,
  hangs,
  problemOf,
  quick,
  refuses,
  scriptedServer,
  streams,
  type Turn,
} from '../testing/scripted-server.ts';
import { ambitClient } from './open-client.ts';

const at = { location: '/executions/e1' };
const event = (id: number, name: string, data: unknown) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const log = (id: number) => event(id, 'log', { text: `${id}` });
const logged = (id: number) => ({ kind: 'log', text: `${id}` });
const result = { executionId: 'e1' };
const stood = { executionId: 'e1', skillId: 'a', status: 'finished', startedAt: '', endedAt: '' };

async function client(...turns: readonly Turn[]) {
  const { url, requests } = await scriptedServer(...turns);
  const gone = () => requests.map(({ method, url, headers }) => [method, url, headers['last-event-id']]);
  return { ambit: ambitClient({ url, retries: quick, silenceMs: 1500 }), requests, gone };
}

test.each<['ends' | 'breaks' | 'stays']>([['ends'], ['breaks'], ['stays']])(
  'a stream that %s before its end is resumed after its last whole event',
  async (then) => {
    const { ambit, gone } = await client(
      streams(`: following\n\n${log(1)}${log(2)}id: 3\nevent: log\nda`, then, at),
      streams(log(3), then),
      streams(`${event(4, 'unheard-of', 1)}${event(5, 'result', result)}`, 'ends'),
    );
    const seen = await Array.fromAsync(ambit.stream('a', 1));
    expect(seen).toEqual([logged(1), logged(2), logged(3), { kind: 'result', answer: result }]);
    expect(gone()).toEqual([
      ['POST', '/skills/a/execute', undefined],
      ['GET', '/executions/e1/events', '2'],
      ['GET', '/executions/e1/events', '3'],
    ]);
  },
);

test('a stream that is interrupted before its first event is resumed from the beginning', async () => {
  const { ambit, gone } = await client(
    streams(': following\n\n', 'breaks', at),
    streams(`${log(1)}${event(2, 'result', result)}`, 'ends'),
  );
  expect(await Array.fromAsync(ambit.stream('a'))).toEqual([logged(1), { kind: 'result', answer: result }]);
  expect(gone()[1]).toEqual(['GET', '/executions/e1/events', '0']);
});

test('every field of an event is data, whatever its name', async () => {
  const sent = JSON.parse('{"text":"a","__proto__":{"position":7},"constructor":1}');
  const { ambit } = await client(streams(event(1, 'log', sent) + event(2, 'result', result), 'ends', at));
  const [first] = await Array.fromAsync(ambit.stream('a'));
  expect(JSON.stringify(first)).toBe('{"kind":"log","text":"a","__proto__":{"position":7},"constructor":1}');
  expect(Object.getPrototypeOf(first)).toBe(Object.prototype);
});

test('a resumed stream that stays silent counts as interrupted', async () => {
  const { ambit, gone } = await client(
    streams(log(1), 'breaks', at),
    hangs,
    streams(event(2, 'result', result), 'ends'),
  );
  expect(await Array.fromAsync(ambit.stream('a'))).toEqual([logged(1), { kind: 'result', answer: result }]);
  expect(gone().map(([method, , after]) => [method, after])).toEqual([
    ['POST', undefined],
    ['GET', '1'],
    ['GET', '1'],
  ]);
});

test.each<[string, Turn]>([
  ['a stream that does not name its call', streams(log(1), 'breaks')],
  [
    'a page',
    (response) => void response.writeHead(200, { ...at, 'content-type': 'text/html' }).end('<html>'),
  ],
  ['a response that is not a stream', answers({ executionId: 'e1' }, 200, at)],
  ['an event that is not JSON', streams('event: log\ndata: {oops\n\n', 'stays', at)],
  ['an event that is null', streams('event: result\ndata: null\n\n', 'stays', at)],
  ['an invalid problem', streams('event: problem\ndata: {}\n\n', 'stays', at)],
])('rejects %s as not Ambit, and sends nothing again', async (_, turn) => {
  const { ambit, requests } = await client(turn);
  await expect(Array.fromAsync(ambit.stream('a', 1))).rejects.toMatchObject({ code: 'NOT_AMBIT' });
  expect(requests).toHaveLength(1);
});

test('accepts the stored response of a call with a key, which has no stream', async () => {
  const { ambit } = await client(streams(event(1, 'result', result), 'ends'));
  expect(await Array.fromAsync(ambit.stream('a', 1, { idempotencyKey: 'mine' }))).toEqual([
    { kind: 'result', answer: result },
  ]);
});

test('waits for a stream without a limit on its silence', async () => {
  const { url } = await scriptedServer(streams(event(1, 'result', result), 'ends', at));
  const ambit = ambitClient({ url, silenceMs: Number.POSITIVE_INFINITY, retries: { max: 0 } });
  expect(await Array.fromAsync(ambit.stream('a'))).toHaveLength(1);
});

test('gives up on a stream that is interrupted repeatedly without an event in between', async () => {
  const { ambit, requests } = await client(
    streams(log(1), 'breaks', at),
    streams(': following\n\n', 'breaks'),
  );
  await expect(Array.fromAsync(ambit.stream('a'))).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(requests).toHaveLength(5);
});

test('throws the problem that ends a stream', async () => {
  const { ambit, requests } = await client(
    streams(event(1, 'problem', problemOf(422, 'INPUT_INVALID')), 'ends', at),
  );
  await expect(Array.fromAsync(ambit.stream('a'))).rejects.toMatchObject({
    name: 'AmbitProblem',
    code: 'INPUT_INVALID',
  });
  expect(requests).toHaveLength(1);
});

test('yields the record of a call that the daemon lost at a restart', async () => {
  const { ambit } = await client(
    streams(log(1), 'breaks', at),
    streams(`event: record\ndata: ${JSON.stringify(stood)}\n\n`, 'ends'),
  );
  expect(await Array.fromAsync(ambit.stream('a'))).toEqual([logged(1), { kind: 'record', execution: stood }]);
});

test('cancels the call when its loop is left, but not a call that is only watched', async () => {
  const { ambit, gone } = await client(
    streams(log(1), 'stays', at),
    answers(stood),
    streams(log(1), 'stays'),
  );
  for await (const _ of ambit.stream('a')) break;
  expect(gone().at(-1)).toEqual(['DELETE', '/executions/e1', undefined]);
  for await (const _ of ambit.watch('e1')) break;
  expect(gone().at(-1)).toEqual(['GET', '/executions/e1/events', '0']);
});

test('starts a stream with a key again if it could not start', async () => {
  const { ambit, requests } = await client(
    refuses(503, 'OVERLOADED', 0),
    streams(event(1, 'result', result), 'ends', at),
  );
  expect(await Array.fromAsync(ambit.stream('a', 1, { idempotencyKey: 'mine' }))).toHaveLength(1);
  expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['"mine"', '"mine"']);
});

test('follows the log over broken connections, and from a given sequence', async () => {
  const entry = (sequence: number) => event(sequence, 'call.started', { sequence });
  const { ambit, gone } = await client(streams(entry(8), 'breaks'), streams(entry(9), 'ends'), hangs);
  const stop = new AbortController();
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const { sequence, id } of ambit.audit.follow({ after: 7, signal: stop.signal })) {
      seen.push([sequence, id]);
      if (sequence === 9) stop.abort('enough');
    }
  })();
  await expect(reading).rejects.toBe('enough');
  expect([seen, gone().map(([, , after]) => after)]).toEqual([
    [
      [8, '8'],
      [9, '9'],
    ],
    ['7', '8'],
  ]);
});
