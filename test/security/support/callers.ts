import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Answer, AnswerLine, CallLine, Introduction, Needed } from './protocol.ts';

/** Who runs the calls. */
export interface Caller {
  readonly name: string;
  /** `undefined`: as whoever runs the tests. */
  readonly uid: number | undefined;
}

/** An id that owns nothing. */
const nobody = 65_534;

/**
 * Root and an ordinary user where the tests run as root; else only the ordinary user that they run as. A checkout, or a
 * Node, that lies where nobody else may read can only be tried as root: that is said, once a file, and not hidden.
 */
export const callers: readonly Caller[] =
  process.getuid?.() === 0
    ? [
        { name: 'root', uid: undefined },
        ...(isOpenToAll() ? [{ name: 'an ordinary user', uid: nobody }] : []),
      ]
    : [{ name: 'an ordinary user', uid: undefined }];

function isOpenToAll(): boolean {
  const open = [import.meta.filename, realpathSync(process.execPath)].every(isReadableByAll);
  if (!open)
    console.warn('not tried as an ordinary user: this checkout, or its Node, is closed to other users');
  return open;
}

/** The file can be read, and every folder above it entered, by anybody. */
function isReadableByAll(file: string): boolean {
  if ((statSync(file).mode & 0o004) === 0) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** A descriptor above those that Node marks by itself. */
const plantedDescriptor = 40;

/** A running program that runs calls. */
export interface CallingProgram extends Introduction {
  readonly pid: number;
  /** The user of the host that it is itself. */
  readonly uid: number;
  call(call: Omit<CallLine, 'id'>): Promise<Answer>;
  /** As of its last answer. */
  needed(): Needed;
  stop(): Promise<void>;
}

/** What is planted in a calling program for a skill to look for. */
export interface Plant {
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** A file that the program is started with open, by a descriptor that is not closed on exec. */
  openFile?: string;
}

export async function startCaller(
  { uid }: Caller,
  { env = {}, args = [], openFile }: Plant = {},
): Promise<CallingProgram> {
  const program = new URL('./caller.ts', import.meta.url).pathname;
  const planted = openFile === undefined ? undefined : openSync(openFile, 'r');
  const gap = new Array<'ignore'>(plantedDescriptor - 3).fill('ignore');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', TMPDIR: tmpdir(), ...env },
    stdio: ['pipe', 'pipe', 'inherit', ...(planted === undefined ? [] : [...gap, planted])],
    // Node drops the supplementary groups when it is told the ids.
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  if (planted !== undefined) closeSync(planted);
  return speakWith(child, uid ?? process.getuid?.() ?? -1);
}

async function speakWith(child: ChildProcess, uid: number): Promise<CallingProgram> {
  const { stdin, stdout, pid } = child;
  if (stdin === null || stdout === null || pid === undefined)
    throw new Error('the calling program did not start');
  const waiting = new Map<number, (answer: Answer) => void>();
  const lines = createInterface({ input: stdout });
  const gone = once(child, 'exit');
  const introduced = Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(line) as Introduction),
    gone.then(([code]) => {
      throw new Error(`the calling program ended with ${code}`);
    }),
  ]);
  const introduction = await introduced;
  let last: Needed = { hosts: 0, residentBytes: 0 };
  lines.on('line', (line) => {
    const { id, answer, needed } = JSON.parse(line) as AnswerLine;
    last = needed;
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  let count = 0;
  return {
    ...introduction,
    pid,
    uid,
    needed: () => last,
    call(call) {
      const id = ++count;
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.set(id, resolve);
      void gone.then(([code]) => reject(new Error(`the calling program ended with ${code}`)));
      stdin.write(`${JSON.stringify({ ...call, id } satisfies CallLine)}\n`);
      return promise;
    },
    async stop() {
      stdin.end();
      await gone;
    },
  };
}

/** Where the scripts of the attacks are. */
export const attackScripts = join(import.meta.dirname, '../attacks');
