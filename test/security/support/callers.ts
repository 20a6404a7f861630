import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openToAll } from '../../../scripts/check/needs.mjs';
import { repository } from '../../support/daemon-process.ts';
import { isWhole } from '../../support/whole.ts';
import type { Answer, AnswerLine, CallLine, Introduction, Needed } from './protocol.ts';

/** The user who runs the calls. */
export interface Caller {
  readonly name: string;
  /** `undefined`: the user who runs the tests. */
  readonly uid: number | undefined;
}

/** An id that owns nothing. */
const nobody = 65_534;

/**
 * Root and an ordinary user if the tests run as root; otherwise only the ordinary user who runs
 * them. A checkout or a Node that other users cannot read can only be tested as root.
 */
export const callers: readonly Caller[] =
  process.getuid?.() === 0
    ? [
        { name: 'root', uid: undefined },
        ...(openToAll.why(repository) === undefined ? [{ name: 'an ordinary user', uid: nobody }] : []),
      ]
    : [{ name: 'an ordinary user', uid: undefined }];

/**
 * One of them in `npm test`, for tables that ask mostly about what the daemon decides. Half of these files run as each of
 * the two, because the user who runs a call decides about its namespaces, its ids and its cgroups.
 */
export const firstCaller: readonly Caller[] = isWhole ? callers : callers.slice(0, 1);
export const lastCaller: readonly Caller[] = isWhole ? callers : callers.slice(-1);

/** A descriptor above all that Node marks close-on-exec. */
const plantedDescriptor = 40;

/** A running program that runs calls. */
export interface CallingProgram extends Introduction {
  readonly pid: number;
  /** The program's own user. */
  readonly uid: number;
  call(call: Omit<CallLine, 'id'>): Promise<Answer>;
  /** As of its last answer. */
  needed(): Needed;
  stop(): Promise<void>;
}

/** Secrets planted in a calling program for skills to look for. */
export interface Plant {
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** A file that is open in the program, by a descriptor without close-on-exec. */
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
    // Node drops the supplementary groups if it gets the ids.
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

/** The folder of the attack scripts. */
export const attackScripts = join(import.meta.dirname, '../attacks');
