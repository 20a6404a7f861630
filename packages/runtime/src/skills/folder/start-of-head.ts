import { closeSync, constants, openSync, readSync } from 'node:fs';
import { basename, extname } from 'node:path';

/** The number of leading bytes that decide how a file is run. */
export const headBytes = 256;

/**
 * The start of a file: by a program with this bare name, by the kernel itself (`null`), or unknown
 * (`undefined`).
 */
interface Start {
  interpreter: string | null | undefined;
  options: readonly string[];
  /** The program on a machine without the interpreter; absent: there is none. */
  otherwise?: string;
}

const byExtension: Readonly<Record<string, Start>> = {
  '.py': startedBy('python3'),
  // Published scripts without a shebang are written for Bash.
  '.sh': { ...startedBy('bash'), otherwise: 'sh' },
  '.bash': startedBy('bash'),
  '.js': startedBy('node'),
  '.mjs': startedBy('node'),
  '.cjs': startedBy('node'),
  '.ts': startedBy('node'),
  '.mts': startedBy('node'),
  '.cts': startedBy('node'),
  '.pl': startedBy('perl'),
  '.rb': startedBy('ruby'),
};

function startedBy(interpreter: string): Start {
  return { interpreter, options: [] };
}

/** Whether Node has to remove the types of a file. */
export function isTypeScript(path: string): boolean {
  return /\.[cm]?ts$/.test(path);
}

const elf = '\u007fELF';

/** Returns the start of the file `path`, judging by its first `headBytes`. */
export function startOfHead(path: string, head: Buffer): Start {
  const line = head.toString('latin1').split('\n', 1)[0] ?? '';
  if (line.startsWith(elf)) return { interpreter: null, options: [] };
  return shebang(line) ?? byExtension[extname(path)] ?? { interpreter: undefined, options: [] };
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
  const started = startedInterpreter(interpreter, options);
  if (started !== undefined) return startedBy(started);
  return { interpreter: programName.test(interpreter) ? interpreter : undefined, options };
}

/**
 * The interpreter that a program only starts: `uv run`, of scripts with inline metadata (PEP 723), `uvx python`, `npx tsx`.
 * They would install packages first, and a sandbox has no network for that.
 */
function startedInterpreter(program: string, options: readonly string[]): string | undefined {
  const names = (...starters: string[]): boolean => options.some((option) => starters.includes(option));
  if (program === 'uv') return names('run') ? 'python3' : undefined;
  if (program === 'uvx') return names('python', 'python3') ? 'python3' : undefined;
  const isTsx = ['npx', 'bunx'].includes(program)
    ? names('tsx', 'ts-node')
    : /^(?:tsx|ts-node)$/.test(program);
  return isTsx ? 'node' : undefined;
}

/** The first bytes of a file. Blocking, because a pool thread would take longer. */
export function headOf(path: string, bytes: number = headBytes): Buffer {
  // Does not block if the file is a FIFO.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(file, head, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}
