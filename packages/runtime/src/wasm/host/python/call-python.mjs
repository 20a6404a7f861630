/** @import { CallLog } from '../call-log.mjs' */
/** @import { CallEnd } from '../entries.mjs' */
/** @import { MeteredInstance } from '../metered-instance.mjs' */
/** @import { SkillFiles } from '../wasi/files/skill-folder.mjs' */
/** @import { CommandBounds } from '../wasi/run-program.mjs' */
/** @import { Python } from './load-python.mjs' */
import { OutOfMemory } from '../out-of-memory.mjs';
import { ProgramExited } from '../wasi/program-exited.mjs';
import { runProgram } from '../wasi/run-program.mjs';
import { pythonFolders } from './python-folders.mjs';

/** The result of a program that ended with a `MemoryError`. */
const outOfMemory = 256;

/**
 * A Python program of a skill: a file by its path in the skill's folder, or a module by its name.
 * `files` are the skill's files, `modules` the names of its own modules and packages.
 *
 * @typedef {{
 *   target: { kind: 'file' | 'module', name: string },
 *   files: SkillFiles,
 *   modules: readonly string[],
 * }} PythonProgram
 */

/**
 * Runs a Python program in a new instance of the snapshot, with folders, environment and arguments
 * as a program has them in its sandbox. Never throws.
 *
 * @param {Python} python
 * @param {PythonProgram} program
 * @param {Uint8Array} input
 * @param {CommandBounds} bounds
 * @param {Pick<CallLog, 'write' | 'flush'>} log
 * @param {(name: string, args: unknown[]) => unknown} invoke
 * @returns {CallEnd}
 */
export function callPython({ module, library }, { target, files, modules }, input, bounds, log, invoke) {
  const cwd = bounds.given === undefined ? '/tmp' : '/workspace';
  const { kind } = target;
  const name = kind === 'file' ? `/skill/${target.name}` : target.name;
  const program = {
    module,
    args: [kind, name, cwd, modules.join(), ...(bounds.args ?? [])],
    env: { PATH: '/usr/bin', HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', PWD: cwd, ...bounds.env },
    folders: (/** @type {import('../wasi/files/call-folders.mjs').FolderOptions} */ options) =>
      pythonFolders(library, { ...options, skillFiles: files }),
    main: (/** @type {MeteredInstance} */ instance) => {
      const exitCode = instance.call('ambit_python_run');
      if (exitCode === outOfMemory && instance.wasRefusedMemory) throw new OutOfMemory();
      if (exitCode !== 0) throw new ProgramExited(exitCode === outOfMemory ? 1 : exitCode);
    },
  };
  return runProgram(program, input, bounds, log, invoke);
}
