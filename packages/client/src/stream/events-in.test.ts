// Threat model: T246

import { expect, test } from 'vitest';
import { eventsIn } from './events-in.ts';

/** The events in a body that arrives in these chunks. */
async function events(...pieces: readonly (string | Uint8Array)[]) {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(
    pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece)),
  ) as ReadableStream<Uint8Array>;
  return Array.fromAsync(eventsIn(body, { url: 'http://a.example', bytesMax: 100 }));
}

test('parses events in any chunks, without comments', async () => {
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

test('keeps an id until the next, joins lines of data, and accepts carriage returns', async () => {
  expect(await events('id: 7\r\ndata: a\r\ndata: b\r\n\r\ndata:c\n\nevent: x\n\n')).toEqual([
    { id: '7', name: 'message', data: 'a\nb' },
    { id: '7', name: 'message', data: 'c' },
  ]);
});

test('ignores an incomplete event', async () => {
  expect(await events('data: whole\n\nid: 2\ndata: half')).toEqual([
    { id: undefined, name: 'message', data: 'whole' },
  ]);
});

test.each([
  ['a line without an end', 'data: '.padEnd(101, 'x')],
  ['an event without an end', 'data: 12345\n'.repeat(17)],
  ['an event of empty lines', 'data\n'.repeat(101)],
])('stops reading %s at the limit', async (_, text) => {
  await expect(events(text)).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' });
});

test('accepts any number of short events and comments', async () => {
  expect(await events(`${'data: 12345\n'.repeat(16)}\n`.repeat(3), ':\n'.repeat(200))).toHaveLength(3);
});
