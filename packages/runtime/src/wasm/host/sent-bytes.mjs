import { writeFrame } from './frames.mjs';

/** The burst size, and the rate in frames a second. */
const framesMax = 1000;
/** The maximum of buffered bytes, which would be lost if the call is killed. */
const heldBytesMax = 16 * 1024;

/**
 * Forwards a call's output as it is written, up to `bytesMax`, so that it is available however the
 * call ends. Writes that come too often are joined: otherwise a program that writes single bytes
 * would make the daemon read a frame for each.
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
     * Writes as much as the limit allows, and returns whether that was everything.
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
