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

const firstFile = 6;
const filesMax = 8;

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
 * The sandbox that was recorded stays open meanwhile: the namespace, the filter and the launcher are its own.
 */
export async function sameBubblewrap({ uid, gid, files, args }: Call): Promise<() => Promise<void>> {
  const namespace = await held(files, argumentOf(args, '--userns'));
  const filter = await held(files, argumentOf(args, '--seccomp'));
  const launcher = await held(files, argumentOf(args, '--file'));
  const given = [namespace, filter, launcher].filter((each) => each !== undefined);
  const sameArgs = rewritten(args, {
    '--json-status-fd': undefined,
    '--block-fd': undefined,
    '--userns': String(3 + given.indexOf(namespace ?? -1)),
    '--seccomp': String(3 + given.indexOf(filter ?? -1)),
    '--file': String(3 + given.indexOf(launcher ?? -1)),
  });
  return async () => {
    // Reading moves a descriptor's position, so each run needs its own.
    const fresh = given.map((each) => (each === namespace ? each : openSync(`/proc/self/fd/${each}`, 'r')));
    try {
      await runProgram('bwrap', sameArgs, {
        stdio: ['pipe', 'pipe', 'inherit', ...fresh],
        env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
        ...(uid === process.getuid?.() ? {} : { uid, gid }),
      });
    } finally {
      for (const each of fresh) if (each !== namespace) closeSync(each);
    }
  };
}

/** The command that a call ran inside, without the launcher. */
export function commandOf({ args }: Call): readonly string[] {
  return args.slice(args.indexOf('--') + 2);
}

function argumentOf(args: readonly string[], option: string): string | undefined {
  const at = args.slice(0, args.indexOf('--')).indexOf(option);
  return at === -1 ? undefined : args[at + 1];
}

/** This process's own descriptor for the file that the recorded call had under that number. */
async function held(files: readonly string[], number: string | undefined): Promise<number | undefined> {
  if (number === undefined) return undefined;
  const file = files[Number(number) - firstFile];
  for (const own of await readdir('/proc/self/fd')) {
    if (file !== '' && (await readlink(`/proc/self/fd/${own}`).catch(() => undefined)) === file)
      return Number(own);
  }
  throw new Error(`the sandbox does not hold ${file} open`);
}

/** Options with another argument, or without theirs and themselves where that is `undefined`. */
function rewritten(
  args: readonly string[],
  changes: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const end = args.indexOf('--');
  const result: string[] = [];
  for (let at = 0; at < end; at++) {
    const option = args[at] ?? '';
    result.push(option);
    if (!Object.hasOwn(changes, option)) continue;
    const value = changes[option];
    if (value === undefined) result.pop();
    else result.push(value);
    at++;
  }
  return [...result, ...args.slice(end)];
}
