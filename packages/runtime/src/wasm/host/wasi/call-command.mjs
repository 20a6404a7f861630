/** @import { CallLog } from '../call-log.mjs' */
/** @import { CallEnd } from '../entries.mjs' */
/** @import { MeteredInstance } from '../metered-instance.mjs' */
/** @import { CommandBounds } from './run-program.mjs' */
import { section, text, vector, wasmHeader } from '../wasm-section.mjs';
import { whyNotLinked } from '../why-not-linked.mjs';
import { ambitFunctionNames, ambitNamespace } from './ambit-functions.mjs';
import { callFolders } from './files/call-folders.mjs';
import { runProgram } from './run-program.mjs';
import { wasiNamespace } from './wasi-functions.mjs';

/**
 * A callable WASI command, and a module that links with it only if its `_start` has the right type.
 *
 * @typedef {{ module: WebAssembly.Module, typeCheck: WebAssembly.Module }} Command
 */

/**
 * Prepares a module as a WASI command, or returns why it cannot be called.
 *
 * @param {WebAssembly.Module} module
 * @returns {Command | { problem: string }}
 */
export function compileCommand(module) {
  const problem = whyNoCommand(module);
  return problem === undefined ? { module, typeCheck: typeCheck() } : { problem };
}

/**
 * Runs a command in a new instance: stdin is the input, stdout the output, stderr the log. Exit
 * code 0 means success. `invoke` handles its imports from `ambit`. Workspace changes are included
 * unless the call was stopped. Never throws.
 *
 * @param {Command} command
 * @param {Uint8Array} input
 * @param {CommandBounds} bounds
 * @param {Pick<CallLog, 'write' | 'flush'>} log
 * @param {(name: string, args: unknown[]) => unknown} invoke
 * @returns {CallEnd}
 */
export function callCommand({ module, typeCheck }, input, bounds, log, invoke) {
  const program = {
    module,
    args: [bounds.name, ...(bounds.args ?? [])],
    env: bounds.env,
    folders: callFolders,
    main: (/** @type {MeteredInstance} */ instance) => {
      new WebAssembly.Instance(typeCheck, { command: instance.exports });
      instance.start();
      instance.call('_start');
    },
  };
  return runProgram(program, input, bounds, log, invoke);
}

/** @param {WebAssembly.Module} module */
function whyNoCommand(module) {
  const imports = WebAssembly.Module.imports(module);
  const notLinked = whyNotLinked(module, isGiven);
  if (notLinked !== undefined) {
    const isOlder = imports.some(({ module: from }) => from === 'wasi_unstable');
    return isOlder ? `${notLinked}; build it for ${wasiNamespace}` : notLinked;
  }
  const exports = WebAssembly.Module.exports(module);
  const start = exports.find(({ name }) => name === '_start');
  if (start === undefined) return 'does not export _start';
  if (start.kind !== 'function') return `exports _start as a ${start.kind}, not as a function`;
  const hasMemory = exports.some(({ name, kind }) => name === 'memory' && kind === 'memory');
  return imports.length > 0 && !hasMemory ? 'does not export its memory' : undefined;
}

/** @param {string} from @param {string} name */
function isGiven(from, name) {
  return from === wasiNamespace || (from === ambitNamespace && ambitFunctionNames.includes(name));
}

/** As text: `(import "command" "_start" (func))`. */
function typeCheck() {
  return new WebAssembly.Module(
    Uint8Array.from([
      ...wasmHeader,
      ...section(1, vector([[0x60, 0, 0]])),
      ...section(2, vector([[...text('command'), ...text('_start'), 0x00, 0]])),
    ]),
  );
}
