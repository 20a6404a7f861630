import type { Server } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { execa } from 'execa';

/** How a program of the host is started for a sandbox. */
export interface ProgramOptions {
  /** The whole environment of the program: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Whom to run it as, without any group but his own; absent: as whoever the daemon is. Only for root. */
  user?: number | undefined;
  /** Open files that the program gets, from `firstFile` on. */
  files?: readonly number[];
  /** Whether it gets a channel, over which it can hand a listening socket out. */
  channel?: boolean;
}

/** The descriptor of `ProgramOptions.files[0]`. Before it are the standard three, control and startBarrier. */
export const firstFile = 5;

/** The descriptor of the channel. Fixed, because the launcher is assembled with it; files go before it. */
export const channelDescriptor = 40;

/** What Node adds to the environment of a program that has a channel. */
export const channelVariables = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'] as const;

/** A program that has been started. */
export interface Program {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** What it writes to descriptor 3. */
  control: Readable;
  /** What it reads at descriptor 4. */
  startBarrier: Writable;
  /** The socket that it hands over its channel; nothing when it closed that, or ended, without. */
  listener: Promise<Server | undefined>;
  /** Resolves when it has ended and all that it wrote has arrived; it never rejects. */
  ended: Promise<ProgramExit>;
  /** Whether it has ended, which is known some time before all that it wrote has arrived. */
  hasExited(): boolean;
  /** Ends it and all of its group with SIGKILL, at once: a skill that ignores SIGTERM gains nothing. */
  kill(): void;
}

/** `exitCode` is 128 and the signal's number for one that a signal ended, as a shell has it. */
export type ProgramExit = { exitCode: number } | { notStarted: Error };

/**
 * Starts a program of the host in a process group of its own, with a pipe for each of its streams. `stdout`, `stderr` and
 * `control` are paused: a reader calls `resume()`.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  { env, user, files = [], channel = false }: ProgramOptions,
): Program {
  const child = execa(file, args, {
    ...programOptions,
    env,
    stdio: descriptors(files, channel),
    ipc: channel,
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const [stdin, stdout, stderr, control, startBarrier] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Readable,
    Writable,
  ];
  // execa discards the output of a stream that nobody reads yet, unless it is paused.
  for (const stream of [stdout, stderr, control]) stream.pause();
  // A program that has ended reads nothing more.
  for (const stream of [stdin, startBarrier]) stream.on('error', () => undefined);
  const { nodeChildProcess } = child;
  const hasExited = (): boolean =>
    child.pid === undefined || nodeChildProcess.exitCode !== null || nodeChildProcess.signalCode !== null;
  let abandon: () => void = () => undefined;
  const ended = new Promise<ProgramExit>((resolve) => {
    abandon = () => resolve(exitOf(nodeChildProcess.exitCode, nodeChildProcess.signalCode));
    // Its message is left out: it repeats all arguments.
    void child.then(({ exitCode = null, signal = null, cause, originalMessage }) => {
      if (exitCode !== null || signal !== null) resolve(exitOf(exitCode, signal));
      else resolve({ notStarted: cause instanceof Error ? cause : new Error(originalMessage) });
    });
  });
  const listener = new Promise<Server | undefined>((resolve) => {
    if (!channel) return resolve(undefined);
    // The other end has been closed by then: nothing comes after it, and Node closes ours.
    nodeChildProcess.once('message', (_, handle) => resolve(handle as Server));
    nodeChildProcess.once('disconnect', () => resolve(undefined));
    void ended.then(() => resolve(undefined));
  });
  return {
    ...{ stdin, stdout, stderr, control, startBarrier, listener, ended, hasExited },
    kill() {
      // Once its end has been noted, its number may belong to another process. Whatever holds its pipes is not waited for.
      if (child.pid === undefined) return;
      if (hasExited()) {
        for (const stream of [stdout, stderr, control]) stream.destroy();
        if (nodeChildProcess.connected) nodeChildProcess.disconnect();
        abandon();
      } else child.kill('SIGKILL');
    },
  };
}

/** What of execa a program in a sandbox does not use; docs/decisions/0028 says why. */
const programOptions = {
  extendEnv: false,
  cwd: '/',
  buffer: false,
  reject: false,
  cleanup: false,
  verbose: 'none',
  serialization: 'json',
  stripFinalNewline: false,
  // The group, not the process, is killed: bubblewrap's child is bound to its parent's death only some time after it
  // was made, and a kill in between would leave it running.
  killDescendants: true,
} as const;

type FivePipes = readonly ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'];

/** Closed ones go before the channel, which execa puts after all others. */
function descriptors(files: readonly number[], channel: boolean): FivePipes {
  const padding = channel ? channelDescriptor - firstFile - files.length : 0;
  if (padding < 0) throw new RangeError(`${files.length} files leave no descriptor for the channel`);
  const startBarrier = { value: 'pipe', input: true };
  const all = [
    'pipe',
    'pipe',
    'pipe',
    'pipe',
    startBarrier,
    ...files,
    ...Array<'ignore'>(padding).fill('ignore'),
  ];
  // execa passes numbers on beyond the standard streams too, which its types leave out.
  return all as unknown as FivePipes;
}

function exitOf(exitCode: number | null, signal: NodeJS.Signals | null): ProgramExit {
  return { exitCode: exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'] };
}
