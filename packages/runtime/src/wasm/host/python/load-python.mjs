import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/**
 * The interpreter: a metered module that begins with the memory of an initialized Python, and its
 * standard library.
 *
 * @typedef {{ module: WebAssembly.Module, library: Uint8Array }} Python
 */

/**
 * Loads the interpreter of the package `@ambit/python`.
 *
 * @param {string} folder the package's folder
 * @returns {Python}
 */
export function loadPython(folder) {
  const expanded = (/** @type {string} */ name) => brotliDecompressSync(readFileSync(join(folder, name)));
  const python = {
    module: new WebAssembly.Module(expanded('python.wasm.br')),
    library: expanded('stdlib.zip.br'),
  };
  // The engine has a copy of the module.
  globalThis.gc?.();
  return python;
}
