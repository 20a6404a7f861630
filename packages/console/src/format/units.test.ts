import { expect, test } from 'vitest';
import { bytesText, durationText, plural } from './units.ts';

test.each([
  [0.2, '< 1 ms'],
  [340.4, '340 ms'],
  [1234, '1.23 s'],
  [45_678, '45.7 s'],
  [125_000, '2 min 5 s'],
  [7_380_000, '2 h 3 min'],
])('writes %d milliseconds as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [5 * 1024 ** 3, '5.0 GiB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test('counts none, one and many', () => {
  expect([0, 1, 999, 1000, 1_234_567].map((count) => plural(count, 'call'))).toEqual([
    ...['0 calls', '1 call', '999 calls', '1,000 calls', '1,234,567 calls'],
  ]);
});
