import { setImmediate } from 'node:timers/promises';

/** Some milliseconds at the worst, of bytes that are read or copied. */
const bytesAtOnce = 512 * 1024;

let lastTurn = Promise.resolve();

/**
 * Resolves in a turn of the event loop that nobody else who asks here gets. Work that is cut into pieces so holds up others for
 * one piece, and not for one piece of every call.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Counts bytes of work, and lets others have their turns whenever there were many since the last time. */
export function turns(): (bytes: number) => Promise<void> {
  let done = 0;
  return async (bytes) => {
    done += bytes;
    if (done < bytesAtOnce) return;
    done = 0;
    await nextTurn();
  };
}
