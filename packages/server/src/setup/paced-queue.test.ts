import { executionQueue } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { pacedQueue } from './paced-queue.ts';

const counter = { skillId: 'counter', actor: 'ada' };

/** A queue with one slot; `pass` moves its clock. */
function paced() {
  let time = 0;
  const { queue, retryAfterSeconds } = pacedQueue(
    executionQueue({ concurrency: 1, concurrencyPerSkill: 1, queue: 100 }),
    () => time,
  );
  const enter = async () => {
    const place = await queue.enter(counter, new AbortController().signal);
    if (place === undefined) throw new Error('not aborted');
    return place;
  };
  return { enter, retryAfterSeconds, pass: (ms: number) => (time += ms) };
}

test('suggests five seconds before the first call has ended', () => {
  expect(paced().retryAfterSeconds()).toBe(5);
});

test('suggests one second for a fast queue, more for a slow one, and at most a minute', async () => {
  const { enter, retryAfterSeconds, pass } = paced();
  const said: number[] = [];
  for (const ms of [1, 4000, 1_000_000]) {
    const place = await enter();
    pass(ms);
    place.release();
    pass(ms);
    said.push(retryAfterSeconds());
  }
  expect(said).toEqual([1, 5, 60]);
});

test('suggests more time if more calls wait', async () => {
  const { enter, retryAfterSeconds, pass } = paced();
  for (let count = 0; count < 4; count += 1) {
    (await enter()).release();
    pass(1000);
  }
  expect(retryAfterSeconds()).toBe(1);
  const place = await enter();
  const waiting = Array.from({ length: 20 }, enter);
  expect(retryAfterSeconds()).toBe(10);
  place.release();
  for (const each of waiting) (await each).release();
});

test('does not count a refused call as waiting', async () => {
  const { queue, retryAfterSeconds } = pacedQueue(
    executionQueue({ concurrency: 0, concurrencyPerSkill: 1, queue: 0 }),
    () => 0,
  );
  await expect(queue.enter(counter, new AbortController().signal)).rejects.toMatchObject({
    code: 'OVERLOADED',
  });
  expect(retryAfterSeconds()).toBe(5);
});
