import { closeSync, constants, openSync, readSync } from 'node:fs';
import { basename, extname } from 'node:path';

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

/** How the file `path` is run, judging by its first `headBytes`. */
export function startOfHead(path: string, head: Buffer): Start {
  const line = head.toString('latin1').split('\n', 1)[0] ?? '';
  if (line.startsWith(elf)) return { interpreter: null, options: [] };
  return shebang(line) ?? { interpreter: interpreters[extname(path)], options: [] };
}

/** Names that `exec` can contain: no folder such as `..`, and no terminal control characters. */
const programName = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

/**
 * The program and its options, without `env` and `env -S`. `uv run`, of scripts with inline metadata (PEP 723), is Python:
 * a sandbox has no network to install packages from.
 */
function shebang(line: string): Start | undefined {
  if (!line.startsWith('#!')) return undefined;
  const words = line.slice(2).trim().split(/\s+/);
  if (basename(words[0] ?? '') === 'env') words.shift();
  if (words[0] === '-S') words.shift();
  const [program, ...options] = words;
  if (program === undefined || program === '') return undefined;
  const interpreter = basename(program);
  if (interpreter === 'uv' && options[0] === 'run') return { interpreter: 'python3', options: [] };
  return { interpreter: programName.test(interpreter) ? interpreter : undefined, options };
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
