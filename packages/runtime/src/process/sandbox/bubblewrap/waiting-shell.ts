import { finished } from 'node:stream/promises';
import { type Program, startProgram } from '../../../spawn/start-program.ts';
import { launcherPath } from '../launcher/launcher.ts';
import type { Inheritance } from './start-process.ts';

/**
 * Reads the command of the sandbox, one argument per line, and appends it to the shell's own arguments.
 * `read` takes nothing beyond the line from standard input (POSIX), so the rest is left for the program.
 * Nothing that was read is evaluated. Without the last line, because the daemon has ended, the shell ends.
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

/**
 * A pipe takes so many bytes of options without a reader. The shell reads each character of the command
 * with a system call.
 */
const limits = { optionBytes: 32 * 1024, commandCharacters: 4096 };

/** Starts a shell that waits for `execBubblewrap`. */
export function waitingShell(bubblewrap: string, { entry, files, user }: Inheritance): Program {
  const settings = String(entry.firstAfter + files.length);
  const args = [bubblewrap, '--args', settings, '--', launcherPath];
  return startProgram('/bin/sh', ['-c', readCommand + entry.script, 'sh', ...args], {
    env: {},
    user,
    files: [...entry.files, ...files],
    settings: true,
  });
}

/** The message to a waiting shell. */
export interface BubblewrapCall {
  /** The arguments of bubblewrap, without the command. */
  options: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The command inside. */
  argv: readonly string[];
}

/**
 * Whether a waiting shell can read this. Line breaks, unusual characters and long texts need a new process.
 * So does a NUL, which would end an option early.
 */
export function canSend(call: BubblewrapCall): boolean {
  const command = call.argv.join(' ');
  const options = allOptions(call);
  return (
    command.length <= limits.commandCharacters &&
    /^[\x20-\x7e]*$/.test(command) &&
    Buffer.byteLength(options.join(' ')) <= limits.optionBytes &&
    !options.some((option) => option.includes('\0'))
  );
}

/**
 * Makes a waiting shell execute bubblewrap. Resolves to false if the shell has ended, or if its pipe does not
 * take all options immediately.
 */
export async function execBubblewrap({ settings, stdin }: Program, call: BubblewrapCall): Promise<boolean> {
  if (settings === undefined) return false;
  const options = allOptions(call).map((option) => `${option}\0`);
  settings.write(options.join(''));
  // The rest would wait for bubblewrap, and bubblewrap for its command.
  if (settings.writableLength > 0) return false;
  settings.end();
  try {
    // bubblewrap must never run with only some of its options, so it starts after they are all written.
    await finished(settings, { readable: false });
  } catch {
    return false;
  }
  stdin.write(`${call.argv.map((each) => `=${each}\n`).join('')}.\n`);
  return true;
}

/** The environment is among the options: other users can read a command line, but not these. */
function allOptions({ options, env }: BubblewrapCall): string[] {
  const environment = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
  return ['--clearenv', ...environment, ...options];
}
