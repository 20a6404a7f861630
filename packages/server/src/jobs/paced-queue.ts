import type { ExecutionQueue } from '@ambit/core';

/** A queue that can tell how fast it moves. */
export interface PacedQueue {
  queue: ExecutionQueue;
  /** In how many seconds a call that finds no room now may well find some: 1 to 60. */
  retryAfterSeconds(): number;
}

/** How many of the latest ends the pace is taken from. */
const latestMax = 32;
/** Where nothing has ended yet. */
const unknownSeconds = 5;
const secondsMax = 60;

/**
 * Watches a queue. Half of those that wait now have had their turn by the time it tells: the first place that comes free
 * is what everybody else waits for too.
 */
export function pacedQueue(queue: ExecutionQueue, now: () => number): PacedQueue {
  const ends: number[] = [];
  return {
    queue: {
      ...queue,
      async enter(call, signal) {
        const place = await queue.enter(call, signal);
        return (
          place && {
            release() {
              ends.push(now());
              if (ends.length > latestMax) ends.shift();
              place.release();
            },
          }
        );
      },
    },
    retryAfterSeconds() {
      const [first] = ends;
      if (first === undefined) return unknownSeconds;
      // To now and not to the last end, so that a queue that has stopped moving is seen to be slow.
      const betweenMs = (now() - first) / ends.length;
      const seconds = Math.ceil((betweenMs * Math.max(1, queue.load().waiting / 2)) / 1000);
      return Math.min(secondsMax, Math.max(1, seconds));
    },
  };
}
