/** @import { GuestMemory } from './guest-memory.mjs' */
/** @import { Preopened } from './files/call-folders.mjs' */
/** @import { FolderNode } from './files/nodes.mjs' */
/** @import { Stream } from './streams.mjs' */
/** @import { CallUses } from '../call-uses.mjs' */
import { randomFillSync } from 'node:crypto';
import { callClocks, clockFunctions } from './clocks.mjs';
import { descriptorFunctions } from './descriptors.mjs';
import { errno, WasiError } from './errno.mjs';
import { AddressFault } from './guest-memory.mjs';
import { OpenFiles } from './open-files.mjs';
import { pathFunctions } from './paths.mjs';
import { pollFunction } from './poll.mjs';
import { ProgramExited } from './program-exited.mjs';
import { programTexts } from './program-texts.mjs';
import { recordUses } from './record-uses.mjs';
import { transferFunctions } from './transfers.mjs';

/** The module that WASI preview 1 is imported from. */
export const wasiNamespace = 'wasi_snapshot_preview1';

/**
 * The environment of a program.
 *
 * @typedef {object} WasiWorld
 * @property {readonly string[]} args
 * @property {Readonly<Record<string, string>>} env
 * @property {Stream} stdin
 * @property {Stream} stdout
 * @property {Stream} stderr
 * @property {readonly Preopened[]} [preopened] preopened folders; none if absent
 * @property {FolderNode | undefined} [workspace] the granted one of them; none if absent
 * @property {CallUses | undefined} [uses] records uses of the grant
 * @property {() => void} [beforeWait] called before the program waits
 */

/**
 * The WASI preview 1 functions that a module imports, over three streams, folders, arguments, an
 * environment, clocks and random numbers. They return EFAULT for an address outside the memory, and
 * unknown functions return ENOSYS.
 *
 * They throw `ProgramExited` for `proc_exit`, and the errors of the streams.
 *
 * @param {WebAssembly.Module} module
 * @param {GuestMemory} memory
 * @param {WasiWorld} world
 * @returns {Record<string, (...args: any[]) => unknown>}
 */
export function wasiFunctions(module, memory, world) {
  const { args, env, stdin, stdout, stderr, preopened = [], beforeWait = () => undefined } = world;
  const open = new OpenFiles([stdin, stdout, stderr], preopened);
  const now = callClocks();
  /** @type {ReadonlyMap<string, (...args: any[]) => number>} */
  const known = new Map(
    Object.entries({
      ...recordUses(world, open, {
        ...programTexts(memory, args, env),
        ...clockFunctions(memory, now),
        ...descriptorFunctions(memory, open),
        ...transferFunctions(memory, open),
        ...pathFunctions(memory, open),
      }),
      poll_oneoff: pollFunction(memory, open, now, beforeWait),
      random_get: (/** @type {number} */ address, /** @type {number} */ length) => {
        randomFillSync(memory.bytes(address, length));
        return errno.success;
      },
      sched_yield: () => errno.success,
      proc_exit: (/** @type {number} */ exitCode) => {
        throw new ProgramExited(exitCode >>> 0);
      },
    }),
  );
  const names = WebAssembly.Module.imports(module)
    .filter((wanted) => wanted.module === wasiNamespace)
    .map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, errorAnswered(known.get(name) ?? unknown)]));
}

function unknown() {
  return errno.nosys;
}

/** @param {(...args: any[]) => number} run */
function errorAnswered(run) {
  return (/** @type {unknown[]} */ ...args) => {
    try {
      return run(...args);
    } catch (error) {
      if (error instanceof AddressFault) return errno.fault;
      if (error instanceof WasiError) return error.number;
      throw error;
    }
  };
}
