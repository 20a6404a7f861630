/** @import { EmscriptenModuleLoader, QuickJSEmscriptenModule } from '@jitl/quickjs-ffi-types' */
/** @import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi' */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BoundedMemory, pageBytes } from './bounded-memory.mjs';

/** What QuickJS is built to start with; the rest of its memory is asked for as it is needed. */
export const memoryBytesMin = 256 * pageBytes;

/** Its fuel did not reach until the engine was ready. */
export class OutOfFuel extends Error {}

/**
 * QuickJS, compiled once: each `start` makes an instance of its own, with a memory of its own; it throws `OutOfFuel`.
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
 * Loads the engine. `folder` has the loader and the function table of its build (the `dist` of
 * `@jitl/quickjs-wasmfile-release-sync`); the module itself is the metered one that lies beside this file.
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
            // Its memory it grows from outside, through the loader: `memory` holds it to that.
            meter.begin(BigInt(fuel), pages, tableGrowth);
            meter.start?.();
            received(instance);
            return instance.exports;
          },
        });
        return { module, ffi: new FFI(module), memory, fuelLeft };
      } catch (cause) {
        throw fuelLeft() < 0n ? new OutOfFuel('its fuel ran out', { cause }) : cause;
      }
    },
  };
}

/** The most that the module's own declaration allows. */
const pagesMax = 32_768;

/** When it gives up it prints why, and throws as well. */
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
