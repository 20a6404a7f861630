import { closeSync, constants, openSync, readSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import { isHiddenPath, liesWithin, type ToolSkill } from '@ambit/core/internal';

/** How a skill's entry is started: a host program with its options, or the file itself. */
export interface Entry {
  /** The bare name of the interpreter; `undefined` for a program that the kernel starts by itself. */
  interpreter: string | undefined;
  options: readonly string[];
  /** Inside the sandbox; of a module its name. */
  file: string;
}

/** Where a skill's folder is inside. */
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
 * Finds out how the skill's entry is run: by its shebang, else by its ending. The interpreter is started by name, so
 * that it is the granted one whatever path the shebang gives.
 *
 * Throws `SKILL_INVALID` when the entry is not a file of the skill inside the folder, nothing tells how to run it, or the sidecar
 * does not request the program that runs it; `SKILL_CHANGED` when the entry is gone since the skill was read.
 */
export async function resolveEntry({ id, root, run, files, module }: ToolSkill): Promise<Entry> {
  const invalid = (problem: string): SkillError =>
    new SkillError('SKILL_INVALID', `${id}: its entry ${run.entry} ${problem}`);
  const file = await realpath(join(root, run.entry)).catch(() => undefined);
  if (file === undefined) {
    if (!files.some(({ path }) => path === run.entry)) throw invalid('does not exist');
    throw new SkillError(
      'SKILL_CHANGED',
      `${id}: its entry ${run.entry} is gone since the skill was read; call again`,
    );
  }
  if (!(await stat(file)).isFile()) throw invalid('is not a file');
  const realRoot = await realpath(root);
  if (!liesWithin(file, realRoot)) throw invalid('is a link that leaves the skill folder');
  if (isHiddenPath(relative(realRoot, file))) {
    throw invalid('is a link to a hidden file, which is not part of the skill; put the file itself there');
  }

  if (module !== undefined) return { interpreter: 'python3', options: ['-c', asModule], file: module };
  const { interpreter, options } = startOfHead(file, headOf(file));
  const inside = `${skillFolder}/${run.entry}`;
  if (interpreter === null) return { interpreter: undefined, options: [], file: inside };
  if (interpreter === undefined) {
    throw invalid(
      'has no shebang and no ending that tells what runs it; start it with a line such as #!/usr/bin/env python3',
    );
  }
  if (!run.capabilities.exec.includes(interpreter)) {
    throw invalid(
      `is run by ${interpreter}, which its ambit.yaml does not request; add it to run.capabilities.exec`,
    );
  }
  return { interpreter, options, file: inside };
}

/**
 * What `python -m` does in the skill's folder. The working directory is the workspace, and its files are a caller's: they are
 * never imported, which `-m` itself would do.
 */
const asModule = `import sys
sys.path[:] = ['${skillFolder}', *(path for path in sys.path if path not in ('', '${skillFolder}'))]
import runpy
runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)`;

/** How many of a file's first bytes tell what starts it. */
export const headBytes = 256;

/** What starts a file: a program by its bare name, `null` for the kernel itself, `undefined` when nothing tells. */
interface Start {
  interpreter: string | null | undefined;
  options: readonly string[];
}

/** What starts the file `path`, by its first `headBytes`. */
export function startOfHead(path: string, head: Buffer): Start {
  const line = head.toString('latin1').split('\n', 1)[0] ?? '';
  if (line.startsWith(elf)) return { interpreter: null, options: [] };
  return shebang(line) ?? { interpreter: interpreters[extname(path)], options: [] };
}

/** What `exec` can name: never a folder, such as `..`, and nothing that a terminal understands. */
const programName = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

/** The program and its options, with `env` and `env -S` taken away. */
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

/** The first `headBytes` of a file. Blocking: a thread of the pool would take longer to answer. */
export function headOf(path: string): Buffer {
  // Not waiting for one who writes, should somebody put a FIFO there.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(file, head, 0, headBytes, 0));
  } finally {
    closeSync(file);
  }
}
