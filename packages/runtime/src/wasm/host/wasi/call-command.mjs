/** @import { CallLog } from '../call-log.mjs' */
/** @import { CallEnd } from '../entries.mjs' */
/** @import { GivenFile } from './files/call-folders.mjs' */
/** @import { SkillFiles } from './files/skill-folder.mjs' */
/** @import { TakeBounds } from './files/workspace-changes.mjs' */
/** @import { CallBounds } from '../metered-instance.mjs' */
/** @import { CallUses } from '../call-uses.mjs' */
import { CallEnding } from '../call-ending.mjs';
import { MeteredInstance } from '../metered-instance.mjs';
import { verdictOn } from '../verdict-on.mjs';
import { section, text, vector, wasmHeader } from '../wasm-section.mjs';
import { whyNotLinked } from '../why-not-linked.mjs';
import { ambitFunctionNames, ambitFunctions, ambitNamespace } from './ambit-functions.mjs';
import { callFolders } from './files/call-folders.mjs';
import { workspaceChanges } from './files/workspace-changes.mjs';
import { GuestMemory } from './guest-memory.mjs';
import { ProgramExited } from './program-exited.mjs';
import { boundedBytes, OutputTooLarge, readableBytes } from './streams.mjs';
import { wasiFunctions, wasiNamespace } from './wasi-functions.mjs';

/**
 * A callable WASI command, and a module that links with it only if its `_start` has the right type.
 *
 * @typedef {{ module: WebAssembly.Module, typeCheck: WebAssembly.Module }} Command
 */

/**
 * The limits of a call and its program's environment: `name` is its first argument, `args` follow
 * it, and `env` is its whole environment. `stdout` receives output as it is written; without it,
 * output is returned at the end. `given` are the caller's files for its workspace; absent if it has
 * none.
 *
 * @typedef {CallBounds & {
 *   name: string,
 *   args?: readonly string[],
 *   env: Readonly<Record<string, string>>,
 *   stdout?: { write: (bytes: Uint8Array) => boolean, flush: () => void } | undefined,
 *   given?: readonly GivenFile[] | undefined,
 *   diskBytes: number,
 *   fileBytes: number,
 *   takeBounds: TakeBounds,
 *   skillFiles: SkillFiles,
 *   uses?: CallUses | undefined,
 * }} CommandBounds
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
  const memory = new GuestMemory();
  const ending = new CallEnding(() => instance?.stop());
  const { name, args = [], env, stdout: sent, given = undefined, uses } = bounds;
  const stdout = boundedBytes(bounds.outputBytes);
  /** @type {ReturnType<typeof callFolders> | undefined} */
  let folders;
  /** @type {MeteredInstance | undefined} */
  let instance;
  /** @type {unknown} */
  let error;
  try {
    folders = callFolders({ ...bounds, given, now: realtime });
    const world = {
      args: [name, ...args],
      env,
      stdin: readableBytes(input),
      stdout: sent === undefined ? stdout : wholeOrTooLarge(sent),
      // With protocol json, an excess of log output is cut off and is not an error.
      stderr:
        sent === undefined
          ? { write: (/** @type {Uint8Array} */ bytes) => void log.write(bytes) }
          : wholeOrTooLarge(log),
      preopened: folders.preopened,
      workspace: folders.workspace,
      uses,
      beforeWait: () => {
        sent?.flush();
        log.flush();
      },
    };
    const imports = {
      [wasiNamespace]: ending.endedBy(wasiFunctions(module, memory, world)),
      [ambitNamespace]: ending.endedBy(ambitFunctions(memory, invoke)),
    };
    instance = new MeteredInstance(new WebAssembly.Instance(module, imports), bounds);
    new WebAssembly.Instance(typeCheck, { command: instance.exports });
    memory.attach(instance.exports['memory']);
    instance.start();
    instance.call('_start');
  } catch (thrown) {
    error = thrown;
  }
  const reason = ending.reason ?? error;
  const returned = reason === undefined || (reason instanceof ProgramExited && reason.exitCode === 0);
  const output = returned ? stdout.written() : new Uint8Array();
  /** @type {CallEnd['verdict']} */
  const verdict = returned ? { status: 'returned' } : verdictOn(reason, instance, bounds.memoryBytes);
  const isItsOwn = ['returned', 'exited', 'failed'].includes(verdict.status);
  return {
    verdict,
    output,
    fuelConsumed: instance?.fuelConsumed ?? null,
    memoryPeakBytes: (instance?.memoryBytes ?? 0) + (folders?.disk.peakBytes ?? 0),
    ...(isItsOwn && folders?.workspace
      ? { changes: workspaceChanges(folders.workspace, given ?? [], bounds.takeBounds) }
      : {}),
  };
}

function realtime() {
  return BigInt(Date.now()) * 1_000_000n;
}

/**
 * A stream that ends the call when its limit is exceeded.
 *
 * @param {{ write: (bytes: Uint8Array) =>
 * boolean }} sent
 */
function wholeOrTooLarge(sent) {
  return {
    write: (/** @type {Uint8Array} */ bytes) => {
      if (!sent.write(bytes)) throw new OutputTooLarge();
    },
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
