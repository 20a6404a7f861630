import { setFlagsFromString } from 'node:v8';

const pageBytes = 64 * 1024;
const elementBytes = 64;

/**
 * Bounds each memory and each table of every module from now on; Extism's `maxPages` knows nothing of a module's own
 * memory. Not by flags on the command line, with which Node would discard the compiled code of its own start and take
 * twice as long.
 *
 * @param {number} memoryBytes
 */
export function boundEngine(memoryBytes) {
  setFlagsFromString(`--wasm-max-mem-pages=${Math.floor(memoryBytes / pageBytes)}`);
  setFlagsFromString(`--wasm-max-table-size=${Math.floor(memoryBytes / elementBytes)}`);
}
