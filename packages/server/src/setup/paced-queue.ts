import type { ExecutionQueue, QueueSlot } from '@ambit/core/execute';

/** A queue that measures its pace. */
export interface PacedQueue {
  queue: ExecutionQueue;
  /** Estimates when a refused call finds a free slot: 1 to 60 seconds. */
  retryAfterSeconds(): number;
}

/** The pace is measured over the latest ends. */
const latestMax = 32;
/** The suggestion before the first call has ended. */
const unknownSeconds = 5;
const secondsMax = 60;

/** Measures a queue. Suggests the time when half of the waiting calls will have started, because other clients retry too. */
export function pacedQueue(queue: ExecutionQueue, now: () => number): PacedQueue {
  const ends: number[] = [];
  const paced = (slot: QueueSlot | undefined): QueueSlot | undefined =>
    slot && {
      release() {
        ends.push(now());
        if (ends.length > latestMax) ends.shift();
        slot.release();
      },
    };
  return {
    queue: {
      ...queue,
      enter: async (call, signal) => paced(await queue.enter(call, signal)),
    },
    retryAfterSeconds() {
      const [first] = ends;
      if (first === undefined) return unknownSeconds;
      // Measured until now, not until the last end, so a stopped queue counts as slow.
      const betweenMs = (now() - first) / ends.length;
      const seconds = Math.ceil((betweenMs * Math.max(1, queue.load().waiting / 2)) / 1000);
      return Math.min(secondsMax, Math.max(1, seconds));
    },
  };
}
