import type { ExecutionQueue } from '@ambit/core/internal';

/** A queue that measures its pace. */
export interface PacedQueue {
  queue: ExecutionQueue;
  /** When a refused call is likely to find a free slot: 1 to 60 seconds. */
  retryAfterSeconds(): number;
}

/** The pace is measured over the latest ends. */
const latestMax = 32;
/** Before the first call has ended. */
const unknownSeconds = 5;
const secondsMax = 60;

/** Measures a queue. The suggested time is when half of the waiting calls have started: other clients retry too. */
export function pacedQueue(queue: ExecutionQueue, now: () => number): PacedQueue {
  const ends: number[] = [];
  return {
    queue: {
      ...queue,
      async enter(call, signal) {
        const slot = await queue.enter(call, signal);
        return (
          slot && {
            release() {
              ends.push(now());
              if (ends.length > latestMax) ends.shift();
              slot.release();
            },
          }
        );
      },
    },
    retryAfterSeconds() {
      const [first] = ends;
      if (first === undefined) return unknownSeconds;
      // Until now, not until the last end: a queue that has stopped is slow.
      const betweenMs = (now() - first) / ends.length;
      const seconds = Math.ceil((betweenMs * Math.max(1, queue.load().waiting / 2)) / 1000);
      return Math.min(secondsMax, Math.max(1, seconds));
    },
  };
}
