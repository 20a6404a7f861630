import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { onPath } from '../../scripts/bootstrap/processes.mjs';

/** Whether `strace`, which traces system calls, is installed. */
export const hasStrace = onPath('strace').length > 0;

/** Folders that every user can write, besides `TMPDIR` of a command. */
const sharedFolders = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'];

interface TracedRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /**
   * The files in folders that every user can write that the command, or a process of it, opened to read or to execute, without
   * those in folders that it made for itself (mode 700). Also files that do not exist: another user could have made them.
   */
  opened: readonly string[];
}

/**
 * Runs a command to its end. `own` are folders that only this user can write; the trace is in the first of them. `onOutput` gets its
 * output so far.
 */
export async function filesInSharedFolders(
  [file, ...args]: readonly [string, ...string[]],
  { cwd, env, own, onOutput }: Place,
): Promise<TracedRun> {
  const trace = join(own[0], 'trace');
  const calls = 'trace=open,openat,openat2,execve,mkdir,mkdirat';
  const options = [
    '-f',
    '-qq',
    '-y',
    '--seccomp-bpf',
    '-s',
    '4096',
    '-e',
    calls,
    '-e',
    'signal=none',
    '-o',
    trace,
  ];
  const child = spawn(onPath('strace')[0] ?? '', [...options, '--', file, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
    onOutput?.(output);
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return {
    code,
    stdout,
    stderr,
    opened: openedIn(await readFile(trace, 'utf8'), own, [...sharedFolders, env['TMPDIR'] ?? '/tmp']),
  };
}

interface Place {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  own: readonly [string, ...string[]];
  onOutput?: (output: string) => void;
}

/** The same for `npm start`, without npm, in a clone. Stops the daemon when it listens. Its data is in the first of `own`. */
export async function filesOfStart(place: Omit<Place, 'onOutput'>): Promise<TracedRun> {
  const data = join(place.own[0], '.ambit');
  let isStopping = false;
  return filesInSharedFolders(
    [process.execPath, 'scripts/bootstrap.mjs', 'start', '--port', '0', '--data-dir', data],
    {
      ...place,
      onOutput(output) {
        // The last line of the banner is the command to paste.
        if (isStopping || !/\bcurl .*\n/.test(output)) return;
        isStopping = true;
        process.kill(JSON.parse(readFileSync(join(data, 'daemon.json'), 'utf8')).pid, 'SIGTERM');
      },
    },
  );
}

function openedIn(trace: string, own: readonly string[], shared: readonly string[]): string[] {
  const made = new Set(own);
  const opened = new Set<string>();
  const unfinished = new Map<string, string>();
  for (const line of trace.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (/^<\.\.\. mkdir\w* resumed>.*= 0$/.test(rest)) made.add(unfinished.get(pid) ?? own[0] ?? '');
    const [, call = '', folder = '/', path, more = ''] =
      /^(\w+)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"(.*)$/.exec(rest) ?? [];
    if (path === undefined) continue;
    const place = resolve(folder, path);
    if (call.startsWith('mkdir')) {
      if (/^, 0700\) += 0$/.test(more)) made.add(place);
      if (/^, 0700 <unfinished/.test(more)) unfinished.set(pid, place);
    } else if (!/O_WRONLY|O_EXCL/.test(more)) opened.add(place);
  }
  const isBelow = (place: string, folder: string): boolean =>
    place === folder || place.startsWith(`${folder}${sep}`);
  return [...opened].filter(
    (place) =>
      shared.some((folder) => place !== folder && isBelow(place, folder)) &&
      ![...made].some((folder) => isBelow(place, folder)),
  );
}
