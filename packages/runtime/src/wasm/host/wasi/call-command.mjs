/** @import { CallEnd } from '../entries.mjs' */
/** @import { CallBounds } from '../metered-instance.mjs' */
import { CallEnding } from '../call-ending.mjs';
import { MeteredInstance } from '../metered-instance.mjs';
import { verdictOn } from '../verdict-on.mjs';
import { section, text, vector, wasmHeader } from '../wasm-section.mjs';
import { whyNotLinked } from '../why-not-linked.mjs';
import { ambitFunctionNames, ambitFunctions, ambitNamespace } from './ambit-functions.mjs';
import { GuestMemory } from './guest-memory.mjs';
import { ProgramExited } from './program-exited.mjs';
import { boundedBytes, loggedLines, readableBytes } from './streams.mjs';
import { wasiFunctions, wasiNamespace } from './wasi-functions.mjs';

/**
 * A WASI command that can be called, and a module that links with it only when its `_start` is of the right type.
 *
 * @typedef {{ module: WebAssembly.Module, typeCheck: WebAssembly.Module }} Command
 */

/**
 * The bounds of a call and what its program sees: `name` is its first argument, `env` its whole environment.
 *
 * @typedef {CallBounds & { name: string, env: Readonly<Record<string, string>> }} CommandBounds
 */

/**
 * A module as a WASI command, or why it is none that can be called here.
 *
 * @param {WebAssembly.Module} module
 * @returns {Command | { problem: string }}
 */
export function compileCommand(module) {
  const problem = whyNoCommand(module);
  return problem === undefined ? { module, typeCheck: typeCheck() } : { problem };
}

/**
 * Runs a command from its start to its end in an instance of its own: stdin is the input, stdout the output, stderr the
 * log. It has returned when it exits with 0. `invoke` is what its imports from `ambit` call. Never throws.
 *
 * @param {Command} command
 * @param {Uint8Array} input
 * @param {CommandBounds} bounds
 * @param {Pick<Console, 'info'>} log
 * @param {(name: string, args: unknown[]) => unknown} invoke
 * @returns {CallEnd}
 */
export function callCommand({ module, typeCheck }, input, bounds, log, invoke) {
  const memory = new GuestMemory();
  const ending = new CallEnding(() => instance?.stop());
  const stdout = boundedBytes(bounds.outputBytes);
  const stderr = loggedLines(log);
  const world = { args: [bounds.name], env: bounds.env, stdin: readableBytes(input), stdout, stderr };
  const imports = {
    [wasiNamespace]: ending.endedBy(wasiFunctions(module, memory, world)),
    [ambitNamespace]: ending.endedBy(ambitFunctions(memory, invoke)),
  };

  /** @type {MeteredInstance | undefined} */
  let instance;
  /** @type {unknown} */
  let error;
  try {
    instance = new MeteredInstance(new WebAssembly.Instance(module, imports), bounds);
    new WebAssembly.Instance(typeCheck, { command: instance.exports });
    memory.attach(instance.exports['memory']);
    instance.start();
    instance.call('_start');
  } catch (thrown) {
    error = thrown;
  }
  stderr.flush();
  const reason = ending.reason ?? error;
  const returned = reason === undefined || (reason instanceof ProgramExited && reason.exitCode === 0);
  const output = returned ? stdout.written() : new Uint8Array();
  return {
    verdict: returned ? { status: 'returned' } : verdictOn(reason, instance, bounds.memoryBytes),
    output,
    fuelConsumed: instance?.fuelConsumed ?? null,
    memoryPeakBytes: instance?.memoryBytes ?? 0,
  };
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
