// Threat model: T175

import { expect, test } from 'vitest';
import { sentBytes } from './sent-bytes.mjs';

/** The sent parts, and a clock that moves only on request. */
function sent(bytesMax: number) {
  const parts: string[] = [];
  const clock = { now: 0 };
  const stream = sentBytes(
    'stdout',
    bytesMax,
    (_, body) => parts.push(Buffer.from(body).toString()),
    () => clock.now,
  );
  const write = (text: string): boolean => stream.write(Buffer.from(text));
  return { parts, clock, write, flush: stream.flush };
}

test('output is sent immediately, and later changes to the buffer do not matter', () => {
  const parts: Uint8Array[] = [];
  const { write } = sentBytes('log', 100, (_, body) => parts.push(body));
  const bytes = Buffer.from('before');
  write(bytes);
  bytes.fill(0x78);
  expect(parts).toEqual([Uint8Array.from(Buffer.from('before'))]);
});

test('output that comes too often is joined, and complete after a flush', () => {
  const { parts, clock, write, flush } = sent(100_000);
  for (let count = 0; count < 1500; count++) write('x');
  expect(parts).toHaveLength(1000);
  flush();
  expect([parts.length, parts.join('').length]).toEqual([1001, 1500]);
  clock.now = 10;
  for (let count = 0; count < 50; count++) write('y');
  expect(parts.slice(1001)).toEqual(Array(10).fill('y'));
  flush();
  flush();
  expect(parts.slice(1011)).toEqual(['y'.repeat(40)]);
});

test('at most 16 KiB are buffered', () => {
  const { parts, write } = sent(1_000_000);
  for (let count = 0; count < 1000; count++) write('x');
  for (let count = 0; count < 16 * 1024; count++) write('y');
  expect(parts.slice(1000)).toEqual(['y'.repeat(16 * 1024)]);
});

test('output beyond the limit is dropped, and write returns false', () => {
  const { parts, write } = sent(10);
  expect([write('12345'), write('67890'), write(''), write('1')]).toEqual([true, true, true, false]);
  expect(parts.join('')).toBe('1234567890');
});
