// Threat model: T81

import { expect, test } from 'vitest';
import { whileKeyHolds } from './while-key-holds.ts';

test('a stream continues while its key is valid, and sends nothing afterwards', async () => {
  const source = new TransformStream<Uint8Array, Uint8Array>();
  const writer = source.writable.getWriter();
  let isGood = true;
  const response = whileKeyHolds(new Response(source.readable, { headers: { 'x-a': 'b' } }), {
    holds: () => isGood,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const received = async (text: string) => {
    const written = writer.write(Buffer.from(text)).catch(() => undefined);
    const { value, done } = await reader.read();
    await written;
    return done ? 'ended' : Buffer.from(value).toString();
  };
  expect([response.headers.get('x-a'), await received('one'), await received('two')]).toEqual([
    'b',
    'one',
    'two',
  ]);
  isGood = false;
  expect(await received('three')).toBe('ended');
});
