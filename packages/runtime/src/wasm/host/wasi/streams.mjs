/**
 * A one-way stream.
 *
 * @typedef {object} Stream
 * @property {(target: Uint8Array) => number} [read] fills the target as far as possible; 0 is the end
 * @property {() => number} [left] the number of bytes left to read
 * @property {(bytes: Uint8Array) => void} [write] writes all bytes; copies them, because
 *   the memory may change afterwards
 */

/** A program exceeded its output limit. */
export class OutputTooLarge extends Error {}

/**
 * @param {Uint8Array} bytes
 * @returns {Stream}
 */
export function readableBytes(bytes) {
  let at = 0;
  return {
    left: () => bytes.length - at,
    read(target) {
      const part = bytes.subarray(at, at + target.length);
      target.set(part);
      at += part.length;
      return part.length;
    },
  };
}

/**
 * Collects output. `write` throws `OutputTooLarge` before it would exceed `bytesMax`.
 *
 * @param {number} bytesMax
 */
export function boundedBytes(bytesMax) {
  let held = new Uint8Array(Math.min(bytesMax, 4096));
  let length = 0;
  return {
    written: () => held.subarray(0, length),
    /** @param {Uint8Array} bytes */
    write(bytes) {
      const end = length + bytes.length;
      if (end > bytesMax) throw new OutputTooLarge();
      if (end > held.length) {
        // Doubles, so that single-byte writes cost no more than one large write.
        const larger = new Uint8Array(Math.min(bytesMax, Math.max(end, 2 * held.length)));
        larger.set(held);
        held = larger;
      }
      held.set(bytes, length);
      length = end;
    },
  };
}

const lineBytesMax = 8192;
const newline = 0x0a;

/**
 * Writes output to a log, one message a line; a line beyond 8 KiB becomes several. `flush` writes
 * an unfinished line.
 *
 * @param {Pick<Console, 'info'>} log
 */
export function loggedLines(log) {
  const line = boundedBytes(lineBytesMax);
  let pending = line;
  const flush = () => {
    const bytes = pending.written();
    if (bytes.length > 0) log.info(new TextDecoder().decode(bytes));
    pending = boundedBytes(lineBytesMax);
  };
  return {
    flush,
    /** @param {Uint8Array} bytes */
    write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const end = bytes.indexOf(newline, at);
        const stop = end === -1 ? bytes.length : end;
        for (let from = at; from < stop; from += lineBytesMax) {
          const part = bytes.subarray(from, Math.min(stop, from + lineBytesMax));
          if (pending.written().length + part.length > lineBytesMax) flush();
          pending.write(part);
        }
        if (end !== -1) {
          if (pending.written().length === 0) log.info('');
          flush();
        }
        at = stop + 1;
      }
    },
  };
}
