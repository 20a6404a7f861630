import { realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import type { ToolSkill } from '@ambit/core/execute';
import { liesWithin, programsNamed } from '@ambit/core/policy';
import { isHiddenPath } from '@ambit/core/skill';
import { headOf, isTypeScript, startOfHead } from '../skills/folder/start-of-head.ts';
import { findHostProgram } from './programs/host-program.ts';

/** The start of a skill's entry: a host program with its options, or the file itself. */
export interface Entry {
  /** The bare name of the interpreter; `undefined` for a program that the kernel runs directly. */
  interpreter: string | undefined;
  options: readonly string[];
  /** A path inside the sandbox, or the name of a Python module. */
  file: string;
  /** A requested program that `interpreter` replaces, because this machine lacks it; absent: none. */
  lacking?: string;
  /** Whether the daemon's own Node runs it: the one of the machine may be too old to remove types. Absent: no. */
  isTypeScript?: true;
}

/** The skill's folder inside the sandbox. */
export const skillFolder = '/skill';

/**
 * Determines how the skill's entry runs: by its shebang, otherwise by its extension. The
 * interpreter is started by name, so the granted program runs whatever path the shebang contains.
 *
 * Throws `SKILL_INVALID` if the entry is not a file of the skill, if nothing says how to run it, or
 * if the sidecar does not request its interpreter. Throws `SKILL_CHANGED` if the entry was removed
 * since the skill was read.
 */
export function resolveEntry({ id, root, run, files, module }: ToolSkill): Entry {
  const invalid = (problem: string): SkillError =>
    new SkillError('SKILL_INVALID', `${id}: entry ${run.entry} ${problem}`);
  const file = realPath(join(root, run.entry));
  if (file === undefined) {
    if (!files.some(({ path }) => path === run.entry)) throw invalid('does not exist');
    throw new SkillError(
      'SKILL_CHANGED',
      `${id}: entry ${run.entry} was removed since the skill was read; call again`,
    );
  }
  if (!statSync(file).isFile()) throw invalid('is not a file');
  const realRoot = realpathSync.native(root);
  if (!liesWithin(file, realRoot))
    throw invalid('is a symlink to a file outside the skill folder; put the file itself there');
  if (isHiddenPath(relative(realRoot, file))) {
    throw invalid('is a symlink to a hidden file, which is not part of the skill; put the file itself there');
  }

  if (module !== undefined) return { interpreter: 'python3', options: ['-c', asModule], file: module };
  const { interpreter: usual, options, otherwise } = startOfHead(file, headOf(file));
  const isRequested = (name: string): boolean =>
    run.capabilities.exec.some((each) => programsNamed(each).programs.includes(name));
  const other = otherwise !== undefined && isRequested(otherwise) ? otherwise : undefined;
  const hasUsual = usual == null || other === undefined || (isRequested(usual) && findHostProgram(usual));
  const interpreter = hasUsual ? usual : other;
  const inside = `${skillFolder}/${run.entry}`;
  if (interpreter === null) return { interpreter: undefined, options: [], file: inside };
  if (interpreter === undefined) {
    throw invalid(
      'has no shebang and no known extension; begin it with a line such as #!/usr/bin/env python3',
    );
  }
  if (!isRequested(interpreter)) {
    throw invalid(
      `runs with ${interpreter}, which ambit.yaml does not request; add ${interpreter} to run.capabilities.exec`,
    );
  }
  const entry: Entry = { interpreter, options, file: inside };
  if (usual != null && interpreter !== usual) entry.lacking = usual;
  if (interpreter === 'node' && isTypeScript(file)) entry.isTypeScript = true;
  return entry;
}

/** `undefined` for a missing file. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * Does what `python -m` does in the skill's folder. Unlike `-m`, it never imports from the working
 * directory: the workspace holds the caller's files.
 */
const asModule = `import sys
sys.path[:] = ['${skillFolder}', *(path for path in sys.path if path not in ('', '${skillFolder}'))]
import runpy
runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)`;
