import { closeSync, constants, openSync, readSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import { isHiddenPath, liesWithin, type ToolSkill } from '@ambit/core/internal';

/** How a skill's entry starts: a host program with its options, or the file itself. */
export interface Entry {
  /** The bare name of the interpreter; `undefined` for a program that the kernel runs directly. */
  interpreter: string | undefined;
  options: readonly string[];
  /** A path inside the sandbox, or the name of a Python module. */
  file: string;
}

/** The skill's folder inside the sandbox. */
export const skillFolder = '/skill';

const interpreters: Readonly<Record<string, string>> = {
  '.py': 'python3',
  '.sh': 'sh',
  '.bash': 'bash',
  '.js': 'node',
  '.mjs': 'node',
  '.pl': 'perl',
  '.rb': 'ruby',
};

const elf = '\u007fELF';

/**
 * Determines how the skill's entry runs: by its shebang, otherwise by its extension. The
 * interpreter is started by name, so the granted program runs whatever path the shebang contains.
 *
 * Throws `SKILL_INVALID` if the entry is not a file of the skill, if nothing says how to run it, or
 * if the sidecar does not request its interpreter. Throws `SKILL_CHANGED` if the entry was removed
 * since the skill was read.
 */
export async function resolveEntry({ id, root, run, files, module }: ToolSkill): Promise<Entry> {
  const invalid = (problem: string): SkillError =>
    new SkillError('SKILL_INVALID', `${id}: entry ${run.entry} ${problem}`);
  const file = await realpath(join(root, run.entry)).catch(() => undefined);
  if (file === undefined) {
    if (!files.some(({ path }) => path === run.entry)) throw invalid('does not exist');
    throw new SkillError(
      'SKILL_CHANGED',
      `${id}: entry ${run.entry} was removed since the skill was read; call again`,
    );
  }
  if (!(await stat(file)).isFile()) throw invalid('is not a file');
  const realRoot = await realpath(root);
  if (!liesWithin(file, realRoot))
    throw invalid('is a symlink to a file outside the skill folder; put the file itself there');
  if (isHiddenPath(relative(realRoot, file))) {
    throw invalid('is a symlink to a hidden file, which is not part of the skill; put the file itself there');
  }

  if (module !== undefined) return { interpreter: 'python3', options: ['-c', asModule], file: module };
  const { interpreter, options } = startOfHead(file, headOf(file));
  const inside = `${skillFolder}/${run.entry}`;
  if (interpreter === null) return { interpreter: undefined, options: [], file: inside };
  if (interpreter === undefined) {
    throw invalid(
      'has no shebang and no known extension; begin it with a line such as #!/usr/bin/env python3',
    );
  }
  if (!run.capabilities.exec.includes(interpreter)) {
    throw invalid(
      `runs with ${interpreter}, which ambit.yaml does not request; add ${interpreter} to run.capabilities.exec`,
    );
  }
  return { interpreter, options, file: inside };
}

/**
 * Does what `python -m` does in the skill's folder. Unlike `-m`, it never imports from the working
 * directory: the workspace holds the caller's files.
 */
const asModule = `import sys
sys.path[:] = ['${skillFolder}', *(path for path in sys.path if path not in ('', '${skillFolder}'))]
import runpy
runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)`;

/** The number of leading bytes that decide how a file is run. */
export const headBytes = 256;

/**
 * How a file is run: by a program with this bare name, by the kernel itself (`null`), or unknown
 * (`undefined`).
 */
interface Start {
  interpreter: string | null | undefined;
  options: readonly string[];
}

/** How the file `path` is run, judging by its first `headBytes`. */
export function startOfHead(path: string, head: Buffer): Start {
  const line = head.toString('latin1').split('\n', 1)[0] ?? '';
  if (line.startsWith(elf)) return { interpreter: null, options: [] };
  return shebang(line) ?? { interpreter: interpreters[extname(path)], options: [] };
}

/** Names that `exec` can contain: no folder such as `..`, and no terminal control characters. */
const programName = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

/** The program and its options, without `env` and `env -S`. */
function shebang(line: string): Start | undefined {
  if (!line.startsWith('#!')) return undefined;
  const words = line.slice(2).trim().split(/\s+/);
  if (basename(words[0] ?? '') === 'env') words.shift();
  if (words[0] === '-S') words.shift();
  const [program, ...options] = words;
  if (program === undefined || program === '') return undefined;
  const interpreter = basename(program);
  return { interpreter: programName.test(interpreter) ? interpreter : undefined, options };
}

/** The first `headBytes` of a file. Blocking, because a pool thread would take longer. */
export function headOf(path: string): Buffer {
  // Does not block if the file is a FIFO.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(file, head, 0, headBytes, 0));
  } finally {
    closeSync(file);
  }
}
