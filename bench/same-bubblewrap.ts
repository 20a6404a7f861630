import type { SpawnOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

/** A call of bubblewrap by a sandbox. */
interface Call {
  uid: number;
  gid: number;
  /**
   * The files behind the descriptors from `firstFile` on, as named by the kernel; `''` if there is
   * none.
   */
  files: readonly string[];
  args: readonly string[];
}

const firstFile = 5;
/** A file that can be read, as the start barrier before it. */
const openBarrier = '/dev/zero';
const filesMax = 32;

/** Options whose argument is the descriptor of a file that bubblewrap reads. */
const fileOptions = ['--userns', '--seccomp', '--file', '--ro-bind-data'];
/** The option whose argument is the descriptor of a pipe to our sandbox. */
const pipeOption = '--json-status-fd';

/**
 * A program that our sandbox can use as its bubblewrap. It records how it was called and then
 * becomes the real one. `sameBubblewrap` turns the record into the baseline, so no copy of the
 * arguments can diverge.
 */
export async function recordingBubblewrap(
  folder: string,
): Promise<{ file: string; latest: () => Promise<Call> }> {
  const [file, record] = [join(folder, 'bwrap'), join(folder, 'call')];
  await writeFile(record, '');
  // The sandbox may run as any user.
  await chmod(record, 0o666);
  const descriptors = Array.from({ length: filesMax }, (_, at) => firstFile + at).join(' ');
  const script = `#!/bin/sh
{
  printf '%s\\0' "$(id -u)" "$(id -g)"
  for each in ${descriptors}; do printf '%s\\0' "$(readlink /proc/self/fd/$each)"; done
  printf '%s\\0' "$@"
} > '${record}'
exec bwrap "$@"
`;
  await writeFile(file, script);
  await chmod(file, 0o755);
  return {
    file,
    async latest() {
      const [uid, gid, ...rest] = (await readFile(record, 'utf8')).split('\0').slice(0, -1);
      return {
        uid: Number(uid),
        gid: Number(gid),
        files: rest.slice(0, filesMax),
        args: rest.slice(filesMax),
      };
    },
  };
}

/**
 * The baseline: what our sandbox starts, started by Node without our code. It is the same program
 * as the same user, with the same arguments, user namespace, seccomp filter and launcher, whose start
 * barrier is open. It lacks the descriptor that reports its status, and a cgroup.
 *
 * The recorded sandbox must stay open, because bubblewrap reads its files.
 */
export async function sameBubblewrap({ uid, gid, files, args }: Call): Promise<() => Promise<void>> {
  const end = args.indexOf('--');
  const given: { option: string; descriptor: number }[] = [];
  const sameArgs: string[] = [];
  for (let at = 0; at < end; at++) {
    const option = args[at] ?? '';
    if (option === pipeOption) {
      at++;
      continue;
    }
    sameArgs.push(option);
    if (!fileOptions.includes(option)) continue;
    sameArgs.push(String(firstFile + given.length));
    at++;
    given.push({ option, descriptor: await ownDescriptor(files[Number(args[at]) - firstFile]) });
  }
  sameArgs.push(...args.slice(end));
  return async () => {
    // Reading moves a descriptor's position, so each run needs its own.
    const open = openSync(openBarrier, 'r');
    const fresh = given.map(({ option, descriptor }) =>
      option === '--userns' ? descriptor : openSync(`/proc/self/fd/${descriptor}`, 'r'),
    );
    try {
      const options: SpawnOptions = {
        stdio: ['pipe', 'pipe', 'inherit', 'ignore', open, ...fresh],
        env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      };
      await runProgram('bwrap', sameArgs, uid === process.getuid?.() ? options : { ...options, uid, gid });
    } finally {
      closeSync(open);
      for (const [at, { option }] of given.entries())
        if (option !== '--userns') closeSync(fresh[at] ?? Number.NaN);
    }
  };
}

/** The command that ran inside the sandbox, without the launcher. */
export function commandOf({ args }: Call): readonly string[] {
  return args.slice(args.indexOf('--') + 2);
}

/** This process's descriptor of a file from the recorded call. */
async function ownDescriptor(file: string | undefined): Promise<number> {
  for (const own of await readdir('/proc/self/fd')) {
    if (file && (await readlink(`/proc/self/fd/${own}`).catch(() => undefined)) === file) return Number(own);
  }
  throw new Error(`the sandbox has not opened ${file}`);
}
