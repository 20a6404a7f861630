import { writeFrame } from './frames.mjs';

/**
 * Hands on what a skill logs, one line for each message of whatever level, at once, so that it is there however the
 * call ends. What goes beyond `bytesMax` is left out.
 *
 * @param {number} bytesMax
 * @returns {Console}
 */
export function callLog(bytesMax) {
  let left = bytesMax;
  /** @param {unknown} message */
  const write = (message) => {
    if (left === 0) return;
    const line = Buffer.from(`${message}\n`).subarray(0, left);
    left -= line.length;
    writeFrame({ type: 'log' }, line);
  };
  return /** @type {Console} */ ({ trace: write, debug: write, info: write, warn: write, error: write });
}
