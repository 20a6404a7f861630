import type { ExecutionQueue } from '@ambit/core/internal';

/** A queue that a call enters only while its node has a lease. A chain or batch that has begun continues on a drained node. */
export function leasedQueue(
  queue: ExecutionQueue,
  requireLease: ((isNew: boolean) => void) | undefined,
): ExecutionQueue {
  if (requireLease === undefined) return queue;
  return {
    ...queue,
    enter(call, signal) {
      requireLease(call.parentId === undefined);
      return queue.enter(call, signal);
    },
  };
}
