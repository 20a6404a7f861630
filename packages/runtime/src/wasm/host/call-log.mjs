import { sentBytes } from './sent-bytes.mjs';

const newline = 0x0a;

/**
 * A call's log: raw bytes, and lines of any level. Output beyond its limit is dropped.
 *
 * @typedef {Console & { write: (bytes: Uint8Array) => boolean, flush: () => void }} CallLog
 */

/**
 * @param {number} bytesMax
 * @param {ReturnType<typeof sentBytes>} [sent]
 * @returns {CallLog}
 */
export function callLog(bytesMax, sent = sentBytes('log', bytesMax)) {
  let isAtLineStart = true;
  const write = (/** @type {Uint8Array} */ bytes) => {
    if (bytes.length > 0) isAtLineStart = bytes.at(-1) === newline;
    return sent.write(bytes);
  };
  /** @param {unknown} message */
  const line = (message) => void write(Buffer.from(`${isAtLineStart ? '' : '\n'}${message}\n`));
  const levels = { trace: line, debug: line, info: line, warn: line, error: line };
  return /** @type {CallLog} */ ({ ...levels, write, flush: sent.flush });
}
