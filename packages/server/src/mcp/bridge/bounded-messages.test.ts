import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { boundedMessages } from './bounded-messages.ts';

/** Returns the parts of a text that pass when it arrives in pieces, and the parts that are too long. */
async function through(text: string, pieceBytes: number): Promise<{ passed: string; long: unknown[] }> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  const long: unknown[] = [];
  const passed = Readable.from(pieces).pipe(
    boundedMessages(40, async (size, id) => void long.push([size, id])),
  );
  return { passed: Buffer.concat(await passed.toArray()).toString(), long };
}

test.each([1, 7, 1000])('drops only the messages that are too long, in pieces of %i bytes', async (size) => {
  const long = `{"jsonrpc":"2.0","id":1,"method":"x","params":"${'y'.repeat(100)}"}`;
  expect(await through(`{"a":1}\n${long}\n{"b":"ü"}\n${long}`, size)).toEqual({
    passed: '{"a":1}\n{"b":"ü"}\n',
    long: [
      [long.length + 1, 1],
      [long.length, 1],
    ],
  });
});

test('what follows a message that is too long, and the end, wait until it is dealt with', async () => {
  const dealtWith = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const messages = boundedMessages(10, async (bytes) => {
    seen.push(bytes);
    await dealtWith.promise;
  });
  messages.on('data', (line) => seen.push(String(line)));
  messages.on('end', () => seen.push('end'));
  messages.end(`${'x'.repeat(20)}\nlater\n${'x'.repeat(30)}`);
  await setImmediate();
  expect(seen).toEqual([21]);
  dealtWith.resolve();
  await finished(messages);
  expect(seen).toEqual([21, 'later\n', 30, 'end']);
});

test.each([
  ['first', `{"id":7,"method":"m","params":{"id":9,"t":"T"}}`, 7],
  ['after the version and the method', `{"jsonrpc":"2.0", "method":"m", "id" : "a", "params":"T"}`, 'a'],
  ['last', `{"method":"m","params":{"id":9,"t":"T"},"jsonrpc":"2.0","id":8}`, 8],
  ['before the version', `{"params":{"t":"T"},"id":-1,"jsonrpc":"2.0"}`, -1],
  ['nowhere', `{"method":"m","params":{"id":9,"t":"T"}}`, undefined],
  ['only in a text', `{"method":"m","params":"T,\\"id\\":5}`, undefined],
  ['between others', `{"params":"T","id":5,"other":1}`, undefined],
])('finds the id of a message that is too long where it is %s', async (_, message, id) => {
  const text = `${message.replace('T', 'x'.repeat(9000))}\n`;
  expect((await through(text, 1000)).long).toEqual([[text.length, id]]);
});
