import { SkillError } from '@ambit/core';
import { executionQueue } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { leasedQueue } from './leased-queue.ts';

const { signal } = new AbortController();
const call = { skillId: 'counter', actor: 'ada' };

/** A queue with one slot, which is taken, and a call that waits for it. */
async function waiting(requireLease: (isNew: boolean) => void) {
  const queue = leasedQueue(
    executionQueue({ concurrency: 1, concurrencyPerSkill: 1, queue: 9 }),
    requireLease,
  );
  const slot = await queue.enter(call, signal);
  return { queue, slot, next: Promise.resolve(queue.enter(call, signal)) };
}

test('refuses a call that has waited for its slot if the node has lost its lease, and the slot is free again', async () => {
  let lost: SkillError | undefined;
  const { queue, slot, next } = await waiting(() => {
    if (lost !== undefined) throw lost;
  });
  lost = new SkillError('LEASE_LOST', 'the node a takes no calls');
  slot?.release();
  await expect(next).rejects.toBe(lost);
  expect(queue.load()).toEqual({ running: 0, waiting: 0 });
});

test('runs a call that has waited for its slot on a node that is being drained', async () => {
  let isDrained = false;
  const { queue, slot, next } = await waiting((isNew) => {
    if (isNew && isDrained) throw new SkillError('LEASE_LOST', 'it is being drained');
  });
  isDrained = true;
  slot?.release();
  expect(await next).toEqual({ release: expect.any(Function) });
  await expect(queue.enter(call, signal)).rejects.toThrow('it is being drained');
});
