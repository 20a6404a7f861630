import { writeFrame } from './frames.mjs';

/** As many frames at once, and then as many a second. */
const framesMax = 1000;
/** What is held back at most: it would be lost with a call that is killed. */
const heldBytesMax = 16 * 1024;

/**
 * Hands on what a call writes as it is written, up to `bytesMax`, so that it is there however the call ends. A program that
 * writes a byte at a time would have the daemon read a frame for each: what comes too often is joined.
 *
 * @param {'log' | 'stdout'} type
 * @param {number} bytesMax
 * @param {(header: { type: 'log' | 'stdout' }, body: Uint8Array) => void} [send]
 * @param {() => number} [now] in milliseconds
 */
export function sentBytes(type, bytesMax, send = writeFrame, now = () => performance.now()) {
  let left = bytesMax;
  let room = framesMax;
  let countedAt = now();
  /** @type {Uint8Array[]} */
  let held = [];
  let heldBytes = 0;
  const flush = () => {
    if (heldBytes === 0) return;
    send({ type }, held.length === 1 ? /** @type {Uint8Array} */ (held[0]) : Buffer.concat(held));
    held = [];
    heldBytes = 0;
  };
  return {
    flush,
    /**
     * Takes as much as there is room for, and tells whether that was all.
     *
     * @param {Uint8Array} bytes they may change afterwards
     */
    write(bytes) {
      const part = Uint8Array.from(bytes.subarray(0, left));
      left -= part.length;
      if (part.length > 0) held.push(part);
      heldBytes += part.length;
      const at = now();
      room = Math.min(framesMax, room + ((at - countedAt) * framesMax) / 1000);
      countedAt = at;
      if (room >= 1 || heldBytes >= heldBytesMax) {
        room = Math.max(0, room - 1);
        flush();
      }
      return part.length === bytes.length;
    },
  };
}
