/** @import { createPlugin as CreatePlugin, Plugin } from '@extism/extism' */
/** @import { HostRequest, HostVerdict } from '../host-protocol.ts' */
import { boundedFunctions, OutOfMemory } from './bounded-functions.mjs';
import { observer, observerNamespace } from './observer.mjs';
import { whyRefused } from './why-refused.mjs';

const pageBytes = 64 * 1024;
const variableBytesMax = 1024 * 1024;
const trapCharactersMax = 4000;
const nothing = new Uint8Array();

/**
 * Calls a module's `run` once, and tells how that went; `output` is empty unless it returned. Never throws.
 *
 * @param {typeof CreatePlugin} createPlugin
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Uint8Array} input
 * @param {HostRequest} request
 * @param {Console} log
 * @returns {Promise<HostVerdict & { output: Uint8Array }>}
 */
export async function runPlugin(createPlugin, bytes, input, request, log) {
  /** @type {WebAssembly.Module} */
  let module;
  try {
    module = new WebAssembly.Module(bytes);
  } catch (error) {
    return refused(`is not a valid WebAssembly module: ${textOf(error)}`);
  }
  const problem = whyRefused(module);
  if (problem !== undefined) return refused(problem);

  let returned = 0;
  /** @type {Plugin | undefined} */
  let plugin;
  try {
    plugin = await createPlugin(
      {
        wasm: [
          { module: observer(module), name: 'main' },
          { module, name: 'skill' },
        ],
      },
      {
        // All of them, always: what is left out here, a manifest could supply.
        useWasi: false,
        enableWasiOutput: false,
        runInWorker: false,
        allowedHosts: [],
        allowedPaths: {},
        // Extism asks with `in`, and an object of the usual kind has a `constructor`.
        config: Object.create(null),
        fetch: () => Promise.reject(new Error('there is no network')),
        allowHttpResponseHeaders: false,
        timeoutMs: null,
        memory: {
          maxPages: Math.ceil(request.memoryBytes / pageBytes) + 1,
          maxHttpResponseBytes: 0,
          maxVarBytes: Math.min(variableBytesMax, request.memoryBytes),
        },
        functions: {
          ...boundedFunctions(request.memoryBytes - input.length),
          [observerNamespace]: {
            returned: (_context, /** @type {number} */ code) => {
              returned = code;
            },
          },
        },
        logger: log,
        logLevel: 'trace',
      },
    );
    const output = await plugin.call('run', input);
    if (returned !== 0) return failed(`run returned ${returned} and set no error`);
    return outputOf(output?.bytes() ?? nothing, request);
  } catch (error) {
    return verdictOn(error, request, await memoryOf(plugin));
  }
}

/**
 * @param {Uint8Array} output
 * @param {HostRequest} request
 * @returns {HostVerdict & { output: Uint8Array }}
 */
function outputOf(output, { outputBytes }) {
  if (output.length > outputBytes) return { status: 'output-too-large', output: nothing };
  return { status: 'returned', outputBytes: output.length, output };
}

/**
 * @param {unknown} error
 * @param {HostRequest} request
 * @param {number} memoryBytes what the module's own memory had come to
 * @returns {HostVerdict & { output: Uint8Array }}
 */
function verdictOn(error, request, memoryBytes) {
  if (error instanceof WebAssembly.LinkError) {
    return refused(
      `cannot be linked: its run takes nothing and returns an i32, its memory is of 32 bits, and its imports have the types of extism:host/env (${textOf(error)})`,
    );
  }
  if (error instanceof OutOfMemory) return { status: 'out-of-memory', output: nothing };
  // The engine's words for a memory or buffer that it could not have: there is no other sign of it.
  if (
    error instanceof RangeError &&
    /out of memory|allocation failed|array buffer length/i.test(error.message)
  ) {
    return { status: 'out-of-memory', output: nothing };
  }
  // A module that finds its memory full can only trap.
  if (error instanceof WebAssembly.RuntimeError && memoryBytes + pageBytes > request.memoryBytes) {
    return { status: 'out-of-memory', output: nothing };
  }
  return failed(textOf(error).replace(/^Plugin-originated error: /, ''));
}

/** @param {Plugin | undefined} plugin */
async function memoryOf(plugin) {
  const memory = (await plugin?.getInstance())?.exports['memory'];
  return memory instanceof WebAssembly.Memory ? memory.buffer.byteLength : 0;
}

/**
 * @param {string} problem
 * @returns {HostVerdict & { output: Uint8Array }}
 */
function refused(problem) {
  return { status: 'refused', problem, output: nothing };
}

/**
 * @param {string} trap
 * @returns {HostVerdict & { output: Uint8Array }}
 */
function failed(trap) {
  return { status: 'failed', trap: trap.slice(0, trapCharactersMax), output: nothing };
}

/** @param {unknown} error */
function textOf(error) {
  return error instanceof Error ? error.message : 'an exception of the module, which nothing caught';
}
