import { finished } from 'node:stream/promises';
import { type Program, startProgram } from '../../spawn/start-program.ts';
import { launcherPath } from '../launcher/launcher.ts';
import type { Opened } from './begin-bubblewrap.ts';

/**
 * Reads the command of the sandbox, one argument per line, and adds it to the shell's own arguments.
 * POSIX makes `read` take nothing beyond the line from standard input, so the rest is left for the
 * program. Nothing that was read is evaluated. Without the last line, which a daemon that ended never
 * wrote, the shell ends.
 */
const readCommand = `while :; do
  IFS= read -r line || exit 1
  case $line in
    =*) set -- "$@" "\${line#=}" ;;
    .) break ;;
    *) exit 1 ;;
  esac
done
`;

/** The kernel takes so many bytes immediately. The shell reads each character with a system call of its own. */
const limits = { optionBytes: 32 * 1024, commandCharacters: 4096 };

/** Starts a shell that waits for `become`, and is bubblewrap then. */
export function waitingShell(bubblewrap: string, { entry, files, user }: Opened): Program {
  const settings = String(entry.firstAfter + files.length);
  const args = [bubblewrap, '--args', settings, '--', launcherPath];
  return startProgram('/bin/sh', ['-c', readCommand + entry.script, 'sh', ...args], {
    ...{ env: {}, user, files: [...entry.files, ...files], settings: true },
  });
}

/** What a waiting shell becomes: the arguments of bubblewrap, its environment, and the command inside. */
export interface Becoming {
  options: readonly string[];
  env: Readonly<Record<string, string>>;
  argv: readonly string[];
}

/** Whether a waiting shell can become this. Line ends and other unusual characters are left to bubblewrap's own command line. */
export function canBecome({ options, argv }: Becoming): boolean {
  const command = argv.join(' ');
  return (
    command.length <= limits.commandCharacters &&
    /^[\x20-\x7e]*$/.test(command) &&
    Buffer.byteLength(options.join(' ')) <= limits.optionBytes
  );
}

/**
 * Makes a waiting shell bubblewrap. Resolves to false if it has ended. The environment is among the
 * options: unlike its command line, no other user can read them.
 */
export async function become(
  { settings, stdin }: Program,
  { options, env, argv }: Becoming,
): Promise<boolean> {
  if (settings === undefined) return false;
  const environment = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
  settings.end(['--clearenv', ...environment, ...options].map((each) => `${each}\0`).join(''));
  try {
    // bubblewrap must never run with a part of its options, so it starts only after it has all of them.
    await finished(settings, { readable: false });
  } catch {
    return false;
  }
  stdin.write(`${argv.map((each) => `=${each}\n`).join('')}.\n`);
  return true;
}
