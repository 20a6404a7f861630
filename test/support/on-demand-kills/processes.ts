import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { World } from './world.ts';

const pollMs = 50;

/** The processes that daemons of a world have had, and a watch for two daemons at the same time. */
export interface ProcessWatch {
  /** The daemons that run, also while they start. */
  daemons(): Process[];
  /** Notes the processes of the daemons now. After a kill, nothing tells whose the most recent ones were. */
  look(): void;
  /** The processes of daemons that still run, as lines of commands. */
  left(): string[];
  stop(): void;
}

interface Process {
  pid: number;
  /** With the id, the identity of a process: an id is used again. */
  started: string;
  parent: number;
  words: readonly string[];
}

/** `onProblem` is called if two daemons use the data directory at the same time. */
export function watchProcesses(world: World, onProblem: (problem: string) => void): ProcessWatch {
  const known = new Map<string, Process>();
  const stopped = new AbortController();
  const look = (): void => {
    const all = processes();
    const daemons = daemonsAmong(all, world);
    for (const each of below(daemons, all)) known.set(identity(each), each);
    const owners = usersOfLog(daemons, world);
    // One may have closed it, and the other opened it, between the two looks of one scan.
    if (owners.length > 1 && usersOfLog(owners, world).length > 1)
      onProblem(`daemons ${owners.map(({ pid }) => pid).join(' and ')} use one log`);
    const listening = listeningAt(world.sockets);
    if (listening > 1) onProblem(`${listening} processes listen at the socket of one data directory`);
  };
  void (async () => {
    while (!stopped.signal.aborted) {
      look();
      await delay(pollMs);
    }
  })();
  return {
    daemons: () => daemonsAmong(processes(), world),
    look,
    left() {
      const running = new Set(processes().map(identity));
      return [...known]
        .filter(([id]) => running.has(id))
        .map(([, { pid, words }]) => `${pid} ${words.join(' ').slice(0, 200)}`);
    },
    stop: () => stopped.abort(),
  };
}

function daemonsAmong(all: readonly Process[], { folder }: World): Process[] {
  const similar = all.filter(
    ({ words }) => words.includes('serve') && words.some((word) => word.startsWith(folder)),
  );
  // A child has the words and descriptors of its parent until it becomes another program.
  const ids = new Set(similar.map(({ pid }) => pid));
  return similar.filter(({ parent }) => !ids.has(parent));
}

function below(roots: readonly Process[], all: readonly Process[]): Process[] {
  const found = new Set(roots);
  // A set also iterates over what is added meanwhile.
  for (const { pid } of found) for (const each of all) if (each.parent === pid) found.add(each);
  return [...found];
}

function usersOfLog(daemons: readonly Process[], { dataDir }: World): Process[] {
  const log = join(dataDir, 'audit.db');
  return daemons.filter(({ pid }) => {
    try {
      const folder = `/proc/${pid}/fd`;
      return readdirSync(folder).some((number) => linkOf(join(folder, number)) === log);
    } catch {
      return false;
    }
  });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** The number of sockets below a folder that accept connections; see `/proc/net/unix` in `proc(5)`. */
function listeningAt(folder: string): number {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return lines.filter((line) => line.includes(` ${folder}/`) && line.split(' ')[3] === '00010000').length;
}

/** All processes that have not ended. */
function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
}

function processOf(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ('ZX'.includes(state)) return undefined;
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return { pid, parent: Number(parent), started: rest[17] ?? '', words };
  } catch {
    return undefined;
  }
}

function identity({ pid, started }: Process): string {
  return `${pid} ${started}`;
}
