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
const told = (id: number) => ({ kind: 'log', text: `${id}` });
const result = { executionId: 'e1' };
const stood = { executionId: 'e1', skillId: 'a', status: 'finished', startedAt: '', endedAt: '' };

async function client(...turns: readonly Turn[]) {
  const { url, asked } = await scriptedServer(...turns);
  const gone = () => asked.map(({ method, url, headers }) => [method, url, headers['last-event-id']]);
  return { ambit: ambitClient({ url, retries: quick, silenceMs: 1500 }), asked, gone };
}

test.each<['ends' | 'breaks' | 'stays']>([['ends'], ['breaks'], ['stays']])(
  'a stream that %s before its end is read on from its last whole event',
  async (then) => {
    const { ambit, gone } = await client(
      streams(`: following\n\n${log(1)}${log(2)}id: 3\nevent: log\nda`, then, at),
      streams(log(3), then),
      streams(`${event(4, 'unheard-of', 1)}${event(5, 'result', result)}`, 'ends'),
    );
    const seen = await Array.fromAsync(ambit.stream('a', 1));
    expect(seen).toEqual([told(1), told(2), told(3), { kind: 'result', answer: result }]);
    expect(gone()).toEqual([
      ['POST', '/skills/a/execute', undefined],
      ['GET', '/executions/e1/events', '2'],
      ['GET', '/executions/e1/events', '3'],
    ]);
  },
);

test('one that was cut before its first event is begun from there', async () => {
  const { ambit, gone } = await client(
    streams(': following\n\n', 'breaks', at),
    streams(`${log(1)}${event(2, 'result', result)}`, 'ends'),
  );
  expect(await Array.fromAsync(ambit.stream('a'))).toEqual([told(1), { kind: 'result', answer: result }]);
  expect(gone()[1]).toEqual(['GET', '/executions/e1/events', '0']);
});

test('one that is opened again and then says nothing at all is taken for cut', async () => {
  const { ambit, gone } = await client(
    streams(log(1), 'breaks', at),
    hangs,
    streams(event(2, 'result', result), 'ends'),
  );
  expect(await Array.fromAsync(ambit.stream('a'))).toEqual([told(1), { kind: 'result', answer: result }]);
  expect(gone().map(([method, , after]) => [method, after])).toEqual([
    ['POST', undefined],
    ['GET', '1'],
    ['GET', '1'],
  ]);
});

test.each<[string, Turn]>([
  ['a stream that does not say which call it is of', streams(log(1), 'breaks')],
  [
    'a page',
    (response) => void response.writeHead(200, { ...at, 'content-type': 'text/html' }).end('<html>'),
  ],
  ['an answer that is no stream', answers({ executionId: 'e1' }, 200, at)],
  ['an event that is no JSON', streams('event: log\ndata: {oops\n\n', 'stays', at)],
  ['an event that is null', streams('event: result\ndata: null\n\n', 'stays', at)],
  ['a problem that is none', streams('event: problem\ndata: {}\n\n', 'stays', at)],
])('%s is no answer of Ambit, and nothing is sent a second time', async (_, turn) => {
  const { ambit, asked } = await client(turn);
  await expect(Array.fromAsync(ambit.stream('a', 1))).rejects.toMatchObject({ code: 'NOT_AMBIT' });
  expect(asked).toHaveLength(1);
});

test('the stored answer of a call under a key has no call to be read on, and is enough', async () => {
  const { ambit } = await client(streams(event(1, 'result', result), 'ends'));
  expect(await Array.fromAsync(ambit.stream('a', 1, { idempotencyKey: 'mine' }))).toEqual([
    { kind: 'result', answer: result },
  ]);
});

test('without an end to its silence a stream is waited for', async () => {
  const { url } = await scriptedServer(streams(event(1, 'result', result), 'ends', at));
  const ambit = ambitClient({ url, silenceMs: Number.POSITIVE_INFINITY, retries: { most: 0 } });
  expect(await Array.fromAsync(ambit.stream('a'))).toHaveLength(1);
});

test('one that is cut again and again without an event in between is given up', async () => {
  const { ambit, asked } = await client(streams(log(1), 'breaks', at), streams(': following\n\n', 'breaks'));
  await expect(Array.fromAsync(ambit.stream('a'))).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(asked).toHaveLength(5);
});

test('a problem ends it and is thrown', async () => {
  const { ambit, asked } = await client(
    streams(event(1, 'problem', problemOf(422, 'INPUT_INVALID')), 'ends', at),
  );
  await expect(Array.fromAsync(ambit.stream('a'))).rejects.toMatchObject({
    name: 'AmbitProblem',
    code: 'INPUT_INVALID',
  });
  expect(asked).toHaveLength(1);
});

test('what is left of a call after a restart is its record', async () => {
  const { ambit } = await client(
    streams(log(1), 'breaks', at),
    streams(`event: record\ndata: ${JSON.stringify(stood)}\n\n`, 'ends'),
  );
  expect(await Array.fromAsync(ambit.stream('a'))).toEqual([told(1), { kind: 'record', execution: stood }]);
});

test('who leaves the loop cancels the call, and who only watches does not', async () => {
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

test('who aborts cancels the call, and the reason is thrown', async () => {
  const { ambit, gone } = await client(streams(log(1), 'stays', at), answers(stood));
  const abort = new AbortController();
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const each of ambit.stream('a', 1, { signal: abort.signal })) {
      seen.push(each);
      abort.abort('enough');
    }
  })();
  await expect(reading).rejects.toBe('enough');
  expect([seen, gone().at(-1)]).toEqual([[told(1)], ['DELETE', '/executions/e1', undefined]]);
});

test('a stream under a key that could not begin is begun again', async () => {
  const { ambit, asked } = await client(
    refuses(503, 'OVERLOADED', 0),
    streams(event(1, 'result', result), 'ends', at),
  );
  expect(await Array.fromAsync(ambit.stream('a', 1, { idempotencyKey: 'mine' }))).toHaveLength(1);
  expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['"mine"', '"mine"']);
});

test('the log is followed over connections that break, and from where one was before', async () => {
  const entry = (sequence: number) => event(sequence, 'call.started', { sequence });
  const { ambit, gone } = await client(streams(entry(8), 'breaks'), streams(entry(9), 'ends'), hangs);
  const stop = new AbortController();
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const { sequence } of ambit.audit.follow({ after: 7, signal: stop.signal })) {
      seen.push(sequence);
      if (sequence === 9) stop.abort('enough');
    }
  })();
  await expect(reading).rejects.toBe('enough');
  expect([seen, gone().map(([, , after]) => after)]).toEqual([
    [8, 9],
    ['7', '8'],
  ]);
});
