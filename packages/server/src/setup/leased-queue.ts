import type { ExecutionQueue } from '@ambit/core/execute';

/**
 * A queue that a call enters only while its node has a lease, and leaves for a slot only if the node still has one. A drained node
 * takes no new calls: a waiting one, and a chain or batch that has begun, continue.
 */
export function leasedQueue(
  queue: ExecutionQueue,
  requireLease: ((isNew: boolean) => void) | undefined,
): ExecutionQueue {
  if (requireLease === undefined) return queue;
  return {
    ...queue,
    async enter(call, signal) {
      requireLease(call.parentId === undefined);
      const slot = await queue.enter(call, signal);
      try {
        if (slot !== undefined) requireLease(false);
        return slot;
      } catch (error) {
        slot?.release();
        throw error;
      }
    },
  };
}
