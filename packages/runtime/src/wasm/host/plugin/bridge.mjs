import { section, text, vector, wasmHeader } from '../wasm-section.mjs';

/** The module that a plug-in imports Extism's functions from. */
export const extismNamespace = 'extism:host/env';

/**
 * The module that the bridge imports its one function from: `run`, which takes and returns nothing.
 */
export const bridgeNamespace = 'ambit:bridge';

const i32 = 0x7f;
const i64 = 0x7e;

/**
 * The functions that Extism provides (@extism/extism 2.0.0-rc13), except `http_request`: parameters
 * and results.
 *
 * @type {Readonly<Record<string, readonly [number[], number[]]>>}
 */
const functionTypes = {
  alloc: [[i64], [i64]],
  free: [[i64], []],
  length: [[i64], [i64]],
  length_unsafe: [[i64], [i64]],
  load_u8: [[i64], [i32]],
  load_u64: [[i64], [i64]],
  store_u8: [[i64, i32], []],
  store_u64: [[i64, i64], []],
  input_offset: [[], [i64]],
  input_length: [[], [i64]],
  input_load_u8: [[i64], [i32]],
  input_load_u64: [[i64], [i64]],
  output_set: [[i64, i64], []],
  error_set: [[i64], []],
  error_get: [[], [i64]],
  config_get: [[i64], [i64]],
  var_get: [[i64], [i64]],
  var_set: [[i64, i64], []],
  http_status_code: [[], [i32]],
  http_headers: [[], [i64]],
  log_trace: [[i64], []],
  log_debug: [[i64], []],
  log_info: [[i64], []],
  log_warn: [[i64], []],
  log_error: [[i64], []],
  get_log_level: [[], [i32]],
};

/** The names that a plug-in can import from it. */
export const extismFunctions = new Set([...Object.keys(functionTypes), 'http_request']);

/**
 * The module that Extism loads instead of the skill's. It exports Extism's functions named by
 * `wanted`, and a `run` that calls back. The skill is then instantiated here and not by Extism,
 * which would run the skill's code before its budget is set, and whose WASI includes files. As
 * text:
 *
 *     (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) …
 *     (import "ambit:bridge" "run" (func $run))
 *     (export "alloc" (func $alloc)) …
 *     (export "run" (func $run))
 *
 * @param {ReadonlySet<string>} wanted
 */
export function bridge(wanted) {
  const entries = Object.entries(functionTypes).filter(([name]) => wanted.has(name));
  const types = entries.map(([, type]) => type);
  const names = entries.map(([name]) => name);
  const run = types.length;
  return new WebAssembly.Module(
    Uint8Array.from([
      ...wasmHeader,
      ...section(1, vector([...types, [[], []]].map(([takes, returns]) => functionType(takes, returns)))),
      ...section(
        2,
        vector([
          ...names.map((name, index) => [...text(extismNamespace), ...text(name), 0x00, index]),
          [...text(bridgeNamespace), ...text('run'), 0x00, run],
        ]),
      ),
      ...section(7, vector([...names, 'run'].map((name, index) => [...text(name), 0x00, index]))),
    ]),
  );
}

/** @param {readonly number[]} takes @param {readonly number[]} returns */
function functionType(takes = [], returns = []) {
  return [0x60, takes.length, ...takes, returns.length, ...returns];
}
