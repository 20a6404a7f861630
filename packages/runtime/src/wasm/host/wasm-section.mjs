// The parts of the binary format that Ambit's own modules use.

/** The header of a module: the magic number and version 1. */
export const wasmHeader = Object.freeze([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);

/**
 * @param {number} id
 * @param {number[]} content
 */
export function section(id, content) {
  return [id, ...withLength(content)];
}

/** @param {number[][]} items */
export function vector(items) {
  return [...length(items.length), ...items.flat()];
}

/** @param {string} name */
export function text(name) {
  return withLength([...Buffer.from(name)]);
}

/**
 * Bytes with their length before them.
 *
 * @internal Exported for tests that write modules.
 * @param {number[]} bytes
 */
export function withLength(bytes) {
  return [...length(bytes.length), ...bytes];
}

/** An unsigned LEB128. @param {number} value @returns {number[]} */
function length(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...length(value >>> 7)];
}
