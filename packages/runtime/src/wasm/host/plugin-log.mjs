import { writeSync } from 'node:fs';

const stderr = 2;

/**
 * Takes what a plug-in logs, one line for each message of whatever level, to stderr at once, so that it is there
 * however the process ends. What goes beyond `bytesMax` is left out.
 *
 * @param {number} bytesMax
 * @returns {Console}
 */
export function pluginLog(bytesMax) {
  let left = bytesMax;
  /** @param {unknown} message */
  const write = (message) => {
    if (left === 0) return;
    const line = Buffer.from(`${message}\n`).subarray(0, left);
    left -= line.length;
    for (let offset = 0; offset < line.length; ) offset += writeSync(stderr, line, offset);
  };
  return /** @type {Console} */ ({ trace: write, debug: write, info: write, warn: write, error: write });
}
