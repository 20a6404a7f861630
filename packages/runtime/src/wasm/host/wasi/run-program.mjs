/** @import { CallLog } from '../call-log.mjs' */
/** @import { CallEnd } from '../entries.mjs' */
/** @import { CallFolders, FolderOptions, GivenEntry } from './files/call-folders.mjs' */
/** @import { SkillFiles } from './files/skill-folder.mjs' */
/** @import { TakeBounds } from './files/workspace-changes.mjs' */
/** @import { CallBounds } from '../metered-instance.mjs' */
/** @import { CallUses } from '../call-uses.mjs' */
import { CallEnding } from '../call-ending.mjs';
import { MeteredInstance } from '../metered-instance.mjs';
import { verdictOn } from '../verdict-on.mjs';
import { ambitFunctions, ambitNamespace } from './ambit-functions.mjs';
import { unixTime } from './clocks.mjs';
import { workspaceChanges } from './files/workspace-changes.mjs';
import { GuestMemory } from './guest-memory.mjs';
import { ProgramExited } from './program-exited.mjs';
import { boundedBytes, OutputTooLarge, readableBytes } from './streams.mjs';
import { wasiFunctions, wasiNamespace } from './wasi-functions.mjs';

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
 *   given?: readonly GivenEntry[] | undefined,
 *   diskBytes: number,
 *   fileBytes: number,
 *   takeBounds: TakeBounds,
 *   skillFiles: SkillFiles,
 *   uses?: CallUses | undefined,
 * }} CommandBounds
 */

/**
 * A program for WASI: its metered module, all its arguments, its environment and its folders. `main`
 * runs it in a new instance, and throws `ProgramExited` for an exit code other than 0.
 *
 * @typedef {{
 *   module: WebAssembly.Module,
 *   args: readonly string[],
 *   env: Readonly<Record<string, string>>,
 *   folders: (options: FolderOptions) => CallFolders,
 *   main: (instance: MeteredInstance) => void,
 * }} Program
 */

/**
 * Runs a program in a new instance: stdin is the input, stdout the output, stderr the log. `invoke`
 * handles its imports from `ambit`. Workspace changes are included unless the call was stopped.
 * Never throws.
 *
 * @param {Program} program
 * @param {Uint8Array} input
 * @param {CommandBounds} bounds
 * @param {Pick<CallLog, 'write' | 'flush'>} log
 * @param {(name: string, args: unknown[]) => unknown} invoke
 * @returns {CallEnd}
 */
export function runProgram({ module, args, env, folders: foldersOf, main }, input, bounds, log, invoke) {
  const memory = new GuestMemory();
  const ending = new CallEnding(() => instance?.stop());
  const { stdout: sent, given = undefined, uses } = bounds;
  const stdout = boundedBytes(bounds.outputBytes);
  /** @type {CallFolders | undefined} */
  let folders;
  /** @type {MeteredInstance | undefined} */
  let instance;
  /** @type {unknown} */
  let error;
  try {
    folders = foldersOf({ ...bounds, given, now: unixTime });
    const world = {
      args,
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
    memory.attach(instance.exports['memory']);
    main(instance);
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
    changes:
      isItsOwn && folders?.workspace
        ? workspaceChanges(folders.workspace, given ?? [], bounds.takeBounds)
        : undefined,
  };
}

/**
 * A stream that ends the call when its limit is exceeded.
 *
 * @param {{ write: (bytes: Uint8Array) => boolean }} sent
 */
function wholeOrTooLarge(sent) {
  return {
    write: (/** @type {Uint8Array} */ bytes) => {
      if (!sent.write(bytes)) throw new OutputTooLarge();
    },
  };
}
