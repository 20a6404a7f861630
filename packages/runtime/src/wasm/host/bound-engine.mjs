import { setFlagsFromString } from 'node:v8';

const pageBytes = 64 * 1024;
const elementBytes = 64;

/**
 * Limits each memory and table of every module from now on; Extism's `maxPages` does not apply to a
 * module's own memory. Not command-line flags, with which Node would discard its compiled startup
 * code and start half as fast.
 *
 * @param {number} memoryBytes
 */
export function boundEngine(memoryBytes) {
  setFlagsFromString(`--wasm-max-mem-pages=${Math.floor(memoryBytes / pageBytes)}`);
  setFlagsFromString(`--wasm-max-table-size=${Math.floor(memoryBytes / elementBytes)}`);
}
