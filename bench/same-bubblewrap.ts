import { closeSync, openSync } from 'node:fs';
import { chmod, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

/** How a sandbox called its bubblewrap. */
interface Call {
  uid: number;
  gid: number;
  /** The files behind the descriptors from `firstFile` on, as the kernel names them; `''` where there is none. */
  files: readonly string[];
  args: readonly string[];
}

const firstFile = 5;
const filesMax = 32;

/** Where Node puts the first file that a program is given, after the standard three. */
const firstGiven = 3;

/** Options whose argument is a descriptor of a file that bubblewrap reads. */
const fileOptions = ['--userns', '--seccomp', '--file', '--ro-bind-data'];
/** Options whose argument is a descriptor of a pipe to us. */
const pipeOptions = ['--json-status-fd', '--block-fd'];

/**
 * A program to give to our sandbox as its bubblewrap, which writes down how it was called and becomes the real one.
 * `sameBubblewrap` makes what it wrote down into the yardstick, so that nothing is copied that could grow apart.
 */
export async function recordingBubblewrap(
  folder: string,
): Promise<{ file: string; latest: () => Promise<Call> }> {
  const [file, record] = [join(folder, 'bwrap'), join(folder, 'call')];
  await writeFile(record, '');
  // For whoever the sandbox is.
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
 * The yardstick: what our sandbox starts, started by Node with nothing of ours around it. The same program, as the same
 * user, with the same arguments, in the same user namespace and under the same filter; without the two descriptors that
 * talk to us (`--json-status-fd`, `--block-fd`) and without a place in the kernel's accounts.
 *
 * The sandbox that was recorded stays open meanwhile: the files that bubblewrap reads are its own.
 */
export async function sameBubblewrap({ uid, gid, files, args }: Call): Promise<() => Promise<void>> {
  const end = args.indexOf('--');
  const given: { option: string; descriptor: number }[] = [];
  const sameArgs: string[] = [];
  for (let at = 0; at < end; at++) {
    const option = args[at] ?? '';
    if (pipeOptions.includes(option)) {
      at++;
      continue;
    }
    sameArgs.push(option);
    if (!fileOptions.includes(option)) continue;
    sameArgs.push(String(firstGiven + given.length));
    at++;
    given.push({ option, descriptor: await held(files[Number(args[at]) - firstFile]) });
  }
  sameArgs.push(...args.slice(end));
  return async () => {
    // Reading moves a descriptor's position, so each run needs its own.
    const fresh = given.map(({ option, descriptor }) =>
      option === '--userns' ? descriptor : openSync(`/proc/self/fd/${descriptor}`, 'r'),
    );
    try {
      await runProgram('bwrap', sameArgs, {
        stdio: ['pipe', 'pipe', 'inherit', ...fresh],
        env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
        ...(uid === process.getuid?.() ? {} : { uid, gid }),
      });
    } finally {
      for (const [at, { option }] of given.entries())
        if (option !== '--userns') closeSync(fresh[at] ?? Number.NaN);
    }
  };
}

/** The command that a call ran inside, without the launcher. */
export function commandOf({ args }: Call): readonly string[] {
  return args.slice(args.indexOf('--') + 2);
}

/** This process's own descriptor for a file that the recorded call had. */
async function held(file: string | undefined): Promise<number> {
  for (const own of await readdir('/proc/self/fd')) {
    if (file && (await readlink(`/proc/self/fd/${own}`).catch(() => undefined)) === file) return Number(own);
  }
  throw new Error(`the sandbox does not hold ${file} open`);
}
