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

/** Counts processed bytes, and returns the next turn of the event loop whenever there were many. */
export function turns(): (bytes: number) => Promise<void> | undefined {
  let done = 0;
  return (bytes) => {
    done += bytes;
    if (done < bytesAtOnce) return undefined;
    done = 0;
    return nextTurn();
  };
}

/** A few milliseconds of work at worst. */
const pieceBytes = 16 * 1024;

/** Passes bytes to `take` in pieces, and yields to the event loop between them. */
export async function inPieces(bytes: Uint8Array, take: (piece: Uint8Array) => void): Promise<void> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    if (from > 0) await nextTurn();
    take(bytes.subarray(from, from + pieceBytes));
  }
}
