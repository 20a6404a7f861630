import type { ExecutionQueue } from '@ambit/core/internal';

/** A queue that a call enters only while its node has a lease. */
export function leasedQueue(queue: ExecutionQueue, requireLease: (() => void) | undefined): ExecutionQueue {
  if (requireLease === undefined) return queue;
  return {
    ...queue,
    enter(call, signal) {
      requireLease();
      return queue.enter(call, signal);
    },
  };
}
