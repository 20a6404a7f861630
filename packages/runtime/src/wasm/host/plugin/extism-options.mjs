/** @import { CallContext, ExtismPluginOptions } from '@extism/extism' */
/** @import { CommandBounds } from '../wasi/run-program.mjs' */

const pageBytes = 64 * 1024;
const variableBytesMax = 1024 * 1024;

/** Extism checks keys with `in`, and an ordinary object has a `constructor`. */
const config = Object.freeze(Object.create(null));
const fetch = () => Promise.reject(new Error('there is no network'));

/**
 * Extism's options for a call. Always complete: a manifest could supply a missing one.
 *
 * @param {CommandBounds} bounds
 * @param {Console} log
 * @param {Record<string, Record<string, (context: CallContext, ...args: any[]) => any>>} functions
 * @returns {ExtismPluginOptions}
 */
export function extismOptions({ memoryBytes }, log, functions) {
  return {
    useWasi: false,
    enableWasiOutput: false,
    runInWorker: false,
    allowedHosts: [],
    allowedPaths: {},
    config,
    fetch,
    allowHttpResponseHeaders: false,
    timeoutMs: null,
    memory: {
      maxPages: Math.ceil(memoryBytes / pageBytes) + 1,
      maxHttpResponseBytes: 0,
      maxVarBytes: Math.min(variableBytesMax, memoryBytes),
    },
    functions,
    logger: log,
    logLevel: 'trace',
  };
}
