// Threat model: T233

import { expect, test } from 'vitest';
import { rateLimiter } from './rate-limiter.ts';

test("allows a burst of one minute's requests, then one whenever it is due", () => {
  let time = 0;
  const { take } = rateLimiter(() => time);
  expect([1, 2, 3].map(() => take('a', 3))).toEqual([0, 0, 0]);
  expect(take('a', 3)).toBe(20_000);
  time = 19_000;
  expect(take('a', 3)).toBe(1000);
  time = 20_000;
  expect([take('a', 3), take('a', 3)]).toEqual([0, 20_000]);
});

test("allows at most one minute's requests after a longer wait", () => {
  let time = 0;
  const { take } = rateLimiter(() => time);
  take('a', 2);
  time = 3_600_000;
  expect([1, 2, 3].map(() => take('a', 2))).toEqual([0, 0, 30_000]);
});

test('counts names separately', () => {
  const { take } = rateLimiter(() => 0);
  expect([take('a', 1), take('b', 1), take('a', 1)]).toEqual([0, 0, 60_000]);
});

test('adds and takes nothing when the clock goes back', () => {
  let time = 60_000;
  const { take } = rateLimiter(() => time);
  take('a', 1);
  time = 0;
  expect(take('a', 1)).toBe(60_000);
  time = 60_000;
  expect(take('a', 1)).toBe(0);
});

test('resets a forgotten name and retains the others', () => {
  const { take, retain } = rateLimiter(() => 0);
  take('a', 1);
  take('b', 1);
  retain(new Set(['b']));
  expect([take('a', 1), take('b', 1)]).toEqual([0, 60_000]);
});
