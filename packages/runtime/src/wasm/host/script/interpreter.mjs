/** @import { EvalDetectModule, EvalFlags, HostRefId, JSBorrowedCharPointer, JSContextPointerPointer, JSValueConstPointer, JSValuePointer } from '@jitl/quickjs-ffi-types' */
/** @import { Started } from './engine.mjs' */

/**
 * One JavaScript world in an instance of QuickJS. Only text passes in and out; no value of the
 * world is ever a value of the host. Little is freed, because everything is discarded with the
 * instance.
 *
 * @typedef {{
 *   install(name: string, call: HostFunction): void,
 *   run(name: string, source: string): string | undefined,
 *   runJob(): boolean,
 * }} Interpreter
 *
 * Receives its arguments as bytes of text in the world's memory, valid until it returns.
 * @typedef {(texts: Uint8Array[]) => Uint8Array | string | undefined} HostFunction
 *
 * Resolves imports: the name of a module for an importer and a specifier, then its source, or the
 * error that the import throws.
 * @typedef {{
 *   resolve(importer: string, specifier: string): string,
 *   load(name: string): Loaded,
 * }} Modules
 * @typedef {{ source: Uint8Array | string } | { error: { name: string, message: string } }} Loaded
 */

/** The world has no memory left for a value from the host. */
export class OutOfMemory extends Error {}

const typeModule = /** @type {EvalFlags} */ (1);
const noDetection = /** @type {EvalDetectModule} */ (0);
const everything = /** @type {any} */ (0);
const undefinedValue = /** @type {any} */ (0);
/** The reference of the only host function. */
const hostFunction = /** @type {HostRefId} */ (1);
/**
 * The stack limit. A script that exceeds it gets an error before the surrounding engine's own stack
 * overflows.
 */
const stackBytes = 256 * 1024;

/**
 * Opens a world. `install` adds a host function to it. `run` runs a module and returns its error as
 * `Name: message` with the stack. `runJob` runs a pending job, and returns whether there was one.
 *
 * Each throws `OutOfMemory`, or what the host function threw. That ends the running code, which
 * cannot catch it.
 *
 * @param {Started} started
 * @param {Modules} modules
 * @returns {Interpreter}
 */
export function openInterpreter({ module, ffi }, modules) {
  const runtime = ffi.QTS_NewRuntime();
  ffi.QTS_RuntimeSetMaxStackSize(runtime, stackBytes);
  const context = ffi.QTS_NewContext(runtime, everything);
  const jobContext = /** @type {JSContextPointerPointer} */ (module._malloc(4));

  /** @param {Uint8Array | string} text */
  const put = (text) => {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    const address = module._malloc(bytes.length + 1);
    if (address === 0) throw new OutOfMemory();
    module.HEAPU8.set(bytes, address);
    module.HEAPU8[address + bytes.length] = 0;
    return { address: /** @type {any} */ (address), length: bytes.length };
  };

  /** @param {Uint8Array | string} text */
  const newString = (text) => {
    const { address } = put(text);
    const value = ffi.QTS_NewString(context, address);
    module._free(address);
    return value;
  };

  /** @param {JSValuePointer | JSValueConstPointer} value */
  const stringOf = (value) => {
    const address = ffi.QTS_GetString(context, value);
    if (address === 0) throw new OutOfMemory();
    return address;
  };

  /** @param {JSBorrowedCharPointer} address */
  const bytesAt = (address) => module.HEAPU8.subarray(address, module.HEAPU8.indexOf(0, address));

  /**
   * @param {JSValuePointer} error
   * @param {string} key
   */
  const property = (error, key) =>
    new TextDecoder().decode(bytesAt(stringOf(ffi.QTS_GetProp(context, error, newString(key)))));

  /** @param {{ name: string, message: string }} error */
  const throwError = ({ name, message }) => {
    const error = ffi.QTS_NewError(context);
    for (const [key, text] of Object.entries({ name, message, stack: '' })) {
      ffi.QTS_SetProp(context, error, newString(key), newString(text));
    }
    ffi.QTS_Throw(context, error);
  };

  /** @type {HostFunction} */
  let installed = () => undefined;

  // Functions that the instance calls. An exception in them passes through the instance unnoticed.
  module.callbacks = {
    callFunction(_asyncify, _context, _this, count, argv) {
      /** @type {JSBorrowedCharPointer[]} */
      const addresses = [];
      for (let index = 0; index < count; index++) {
        addresses.push(stringOf(ffi.QTS_ArgvGetJSValueConstPointer(argv, index)));
      }
      // Only now, because creating a string can move the memory.
      const answer = installed(addresses.map(bytesAt));
      for (const address of addresses) ffi.QTS_FreeCString(context, address);
      return answer === undefined ? undefinedValue : newString(answer);
    },
    normalizeModule: (_asyncify, _runtime, _context, importer, specifier) =>
      put(modules.resolve(importer, specifier)).address,
    loadModuleSource(_asyncify, _runtime, _context, name) {
      const loaded = modules.load(name);
      if ('source' in loaded) return put(loaded.source).address;
      throwError(loaded.error);
      return undefinedValue;
    },
    shouldInterrupt: () => 0,
    freeHostRef: () => undefined,
  };
  ffi.QTS_RuntimeEnableModuleLoader(runtime, 1);

  return {
    install(name, call) {
      installed = call;
      const value = ffi.QTS_NewFunction(context, name, 0, false, hostFunction);
      ffi.QTS_SetProp(context, ffi.QTS_GetGlobalObject(context), newString(name), value);
    },
    run(name, source) {
      const { address, length } = put(source);
      const result = ffi.QTS_Eval(context, address, length, name, noDetection, typeModule);
      const error = ffi.QTS_ResolveException(context, result);
      if (error === 0) return undefined;
      return `${property(error, 'name')}: ${property(error, 'message')}\n${property(error, 'stack')}`;
    },
    runJob() {
      if (!ffi.QTS_IsJobPending(runtime)) return false;
      ffi.QTS_FreeValuePointer(context, ffi.QTS_ExecutePendingJob(runtime, 1, jobContext));
      return true;
    },
  };
}
