import { expect, test } from 'vitest';
import { eventsIn } from './events-in.ts';

/** The events of a body that comes in these pieces. */
async function events(...pieces: readonly (string | Uint8Array)[]) {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(
    pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece)),
  ) as ReadableStream<Uint8Array>;
  return Array.fromAsync(eventsIn(body, { url: 'http://a.example', bytesMax: 100 }));
}

test('events are read whatever pieces they come in, comments passed over', async () => {
  const text =
    ': following\n\nid: 1\nevent: log\ndata: {"text":"é\\n"}\n\n:\n\nid: 2\nevent: result\ndata: 1\n\n';
  const expected = [
    { id: '1', name: 'log', data: '{"text":"é\\n"}' },
    { id: '2', name: 'result', data: '1' },
  ];
  expect(await events(text)).toEqual(expected);
  expect(await events(...[...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte)))).toEqual(
    expected,
  );
});

test('an id holds until the next, data of several lines is one, and lines may end with a carriage return', async () => {
  expect(await events('id: 7\r\ndata: a\r\ndata: b\r\n\r\ndata:c\n\nevent: x\n\n')).toEqual([
    { id: '7', name: 'message', data: 'a\nb' },
    { id: '7', name: 'message', data: 'c' },
  ]);
});

test('an event that is not whole is none', async () => {
  expect(await events('data: whole\n\nid: 2\ndata: half')).toEqual([
    { id: undefined, name: 'message', data: 'whole' },
  ]);
});

test.each([
  ['a line without an end', 'data: '.padEnd(101, 'x')],
  ['an event without an end', 'data: 12345\n'.repeat(17)],
  ['an event of empty lines', 'data\n'.repeat(101)],
])('%s is read no further than it may be', async (_, text) => {
  await expect(events(text)).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' });
});

test('events that are short enough may be many, and so may comments', async () => {
  expect(await events(`${'data: 12345\n'.repeat(16)}\n`.repeat(3), ':\n'.repeat(200))).toHaveLength(3);
});
