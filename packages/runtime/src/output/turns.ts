import { setImmediate } from 'node:timers/promises';

/** A few milliseconds of reading or copying at worst. */
const bytesAtOnce = 512 * 1024;

let lastTurn = Promise.resolve();

/**
 * Resolves in an event loop turn of its own: no other caller of this function gets the same turn.
 * Work in pieces then delays others by one piece, instead of one piece of every call.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Counts processed bytes and yields to the event loop whenever there were many. */
export function turns(): (bytes: number) => Promise<void> {
  let done = 0;
  return async (bytes) => {
    done += bytes;
    if (done < bytesAtOnce) return;
    done = 0;
    await nextTurn();
  };
}
