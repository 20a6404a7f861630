import { executionQueue } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { pacedQueue } from './paced-queue.ts';

const counter = { skillId: 'counter', actor: 'ada' };

/** A queue with one place; `pass` moves its clock. */
function paced() {
  let time = 0;
  const { queue, retryAfterSeconds } = pacedQueue(
    executionQueue({ concurrency: 1, concurrencyPerSkill: 1, queue: 100 }),
    () => time,
  );
  const enter = async () => {
    const place = await queue.enter(counter, new AbortController().signal);
    if (place === undefined) throw new Error('nobody aborted it');
    return place;
  };
  return { enter, retryAfterSeconds, pass: (ms: number) => (time += ms) };
}

test('a queue from which nothing has come yet says five seconds', () => {
  expect(paced().retryAfterSeconds()).toBe(5);
});

test('a queue that moves fast says a second, one that moves slowly says more, and never more than a minute', async () => {
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

test('the more wait, the longer it takes', async () => {
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

test('a call that is refused does not count among those that wait', async () => {
  const { queue, retryAfterSeconds } = pacedQueue(
    executionQueue({ concurrency: 0, concurrencyPerSkill: 1, queue: 0 }),
    () => 0,
  );
  await expect(queue.enter(counter, new AbortController().signal)).rejects.toMatchObject({
    code: 'OVERLOADED',
  });
  expect(retryAfterSeconds()).toBe(5);
});
