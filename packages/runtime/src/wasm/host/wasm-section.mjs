// Those parts of the binary format that modules of our own are written in.

/** How a module begins: the magic number and version 1. */
export const wasmHeader = Object.freeze([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);

/**
 * @param {number} id
 * @param {number[]} content
 */
export function section(id, content) {
  return [id, ...sized(content)];
}

/** @param {number[][]} items */
export function vector(items) {
  return [...length(items.length), ...items.flat()];
}

/** @param {string} name */
export function text(name) {
  return sized([...Buffer.from(name)]);
}

/** Bytes after how many they are. @param {number[]} bytes */
export function sized(bytes) {
  return [...length(bytes.length), ...bytes];
}

/** An unsigned LEB128. @param {number} value @returns {number[]} */
function length(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...length(value >>> 7)];
}
