import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { pythonDigests } from './digests.mjs';

/**
 * The interpreter: a metered module that begins with the memory of an initialized Python, and its
 * standard library.
 *
 * @typedef {{ module: WebAssembly.Module, library: Uint8Array }} Python
 */

/**
 * Loads the interpreter of the package `@ambit/python`. Throws an error if a file cannot be read, or
 * differs from the one that this version of Ambit uses.
 *
 * @param {string} folder the package's folder
 * @returns {Python}
 */
export function loadPython(folder) {
  const expanded = (/** @type {string} */ name) => {
    const bytes = readFileSync(join(folder, name));
    // The daemon compares them too, but only when it first looks for the package.
    if (createHash('sha256').update(bytes).digest('hex') !== pythonDigests[name])
      throw new Error(`${name} is not the file that this version of Ambit was tested with`);
    return brotliDecompressSync(bytes);
  };
  const python = {
    module: new WebAssembly.Module(expanded('python.wasm.br')),
    library: expanded('stdlib.zip.br'),
  };
  // The engine has a copy of the module.
  globalThis.gc?.();
  return python;
}
