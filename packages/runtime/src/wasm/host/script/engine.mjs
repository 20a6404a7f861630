/** @import { EmscriptenModuleLoader, QuickJSEmscriptenModule } from '@jitl/quickjs-ffi-types' */
/** @import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi' */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BoundedMemory, pageBytes } from './bounded-memory.mjs';

/** The initial memory that QuickJS is built with; it grows as needed. */
export const memoryBytesMin = 256 * pageBytes;

/** The fuel ran out while the engine started. */
export class OutOfFuel extends Error {}

/**
 * QuickJS, compiled once. Each `start` creates an instance with its own memory; it throws
 * `OutOfFuel`.
 *
 * @typedef {{ start(bounds: EngineBounds): Promise<Started> }} Engine
 * @typedef {{ memoryBytes: number, fuel: bigint | number, tableGrowth: number }} EngineBounds
 * @typedef {{
 *   module: QuickJSEmscriptenModule,
 *   ffi: QuickJSFFI,
 *   memory: BoundedMemory,
 *   fuelLeft: () => bigint,
 * }} Started
 */

/**
 * Loads the engine. `folder` contains the loader and the function table of its build (the `dist` of
 * `@jitl/quickjs-wasmfile-release-sync`); the metered module itself is beside this file.
 *
 * @param {string} folder
 * @returns {Promise<Engine>}
 */
export async function loadEngine(folder) {
  const from = (/** @type {string} */ name) => import(pathToFileURL(join(folder, name)).href);
  /** @type {{ default: EmscriptenModuleLoader<QuickJSEmscriptenModule> }} */
  const { default: load } = await from('emscripten-module.mjs');
  /** @type {{ QuickJSFFI: typeof QuickJSFFI }} */
  const { QuickJSFFI: FFI } = await from('ffi.mjs');
  const compiled = new WebAssembly.Module(readFileSync(new URL('quickjs.wasm', import.meta.url)));

  return {
    async start({ memoryBytes, fuel, tableGrowth }) {
      const pages = Math.min(Math.floor(memoryBytes / pageBytes), pagesMax);
      const memory = new BoundedMemory({ initial: memoryBytesMin / pageBytes, maximum: pages });
      let fuelLeft = () => 0n;
      try {
        const module = await load({
          ...silent,
          wasmMemory: memory,
          instantiateWasm(imports, received) {
            const instance = new WebAssembly.Instance(compiled, imports);
            const meter = meterOf(instance);
            fuelLeft = meter.fuelLeft;
            // The loader grows the memory from outside, which `memory` limits.
            meter.begin(BigInt(fuel), pages, tableGrowth);
            meter.start?.();
            received(instance);
            return instance.exports;
          },
        });
        return { module, ffi: new FFI(module), memory, fuelLeft };
      } catch (cause) {
        throw fuelLeft() < 0n ? new OutOfFuel('the fuel ran out', { cause }) : cause;
      }
    },
  };
}

/** The maximum in the module's own declaration. */
const pagesMax = 32_768;

/** When it aborts, it prints the reason and also throws. */
const silent = { print: () => undefined, printErr: () => undefined };

/**
 * @param {WebAssembly.Instance} instance
 * @returns {{
 *   begin: (fuel: bigint, memoryPages: number, tableGrowth: number) => void,
 *   start?: () => void,
 *   fuelLeft: () => bigint,
 * }}
 */
function meterOf({ exports }) {
  return /** @type {any} */ ({
    begin: exports['ambit:begin'],
    start: exports['ambit:start'],
    fuelLeft: exports['ambit:fuel'],
  });
}
