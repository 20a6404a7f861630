import { expect, test } from 'vitest';
import { rateLimiter } from './rate-limiter.ts';

test('a minute has its number of requests at once, then one more each time that one is due', () => {
  let time = 0;
  const { take } = rateLimiter(() => time);
  expect([1, 2, 3].map(() => take('a', 3))).toEqual([0, 0, 0]);
  expect(take('a', 3)).toBe(20_000);
  time = 19_000;
  expect(take('a', 3)).toBe(1000);
  time = 20_000;
  expect([take('a', 3), take('a', 3)]).toEqual([0, 20_000]);
});

test('whoever waits for longer has no more than a minute of requests', () => {
  let time = 0;
  const { take } = rateLimiter(() => time);
  take('a', 2);
  time = 3_600_000;
  expect([1, 2, 3].map(() => take('a', 2))).toEqual([0, 0, 30_000]);
});

test('names do not take from one another', () => {
  const { take } = rateLimiter(() => 0);
  expect([take('a', 1), take('b', 1), take('a', 1)]).toEqual([0, 0, 60_000]);
});

test('a clock that goes back gives nothing, and takes nothing', () => {
  let time = 60_000;
  const { take } = rateLimiter(() => time);
  take('a', 1);
  time = 0;
  expect(take('a', 1)).toBe(60_000);
  time = 60_000;
  expect(take('a', 1)).toBe(0);
});

test('a name that is forgotten begins anew, one that is kept does not', () => {
  const { take, keep } = rateLimiter(() => 0);
  take('a', 1);
  take('b', 1);
  keep(new Set(['b']));
  expect([take('a', 1), take('b', 1)]).toEqual([0, 60_000]);
});
