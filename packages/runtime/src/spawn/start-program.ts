import type { Server } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { execa, type Options } from 'execa';

/** Options of starting a host program for a sandbox. */
export interface ProgramOptions {
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /**
   * The user to run as, with only the group of the same number; absent: the daemon's own. Only for
   * root.
   */
  user?: number | undefined;
  /** Open files that the program inherits, from `firstFile` on. */
  files?: readonly number[];
  /** Whether it gets a channel over which it can pass a listening socket. */
  channel?: boolean;
  /** Whether it gets one more input, on the descriptor after `files`. Not together with a channel. */
  settings?: boolean;
}

/** The descriptor of `Program.startBarrier` in the program. */
export const startBarrierDescriptor = 4;

/**
 * The descriptor of `ProgramOptions.files[0]`. The standard three, `control` and `startBarrier`
 * come before it.
 */
export const firstFile = 5;

/**
 * The channel's descriptor. Fixed, because it is part of the launcher's code; files go before it.
 */
export const channelDescriptor = 40;

/** Variables that Node adds to the environment of a program with a channel. */
export const channelVariables = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'] as const;

/** A started program. */
export interface Program {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** Its output on descriptor 3. */
  control: Readable;
  /** Its input on descriptor 4. */
  startBarrier: Writable;
  /** Its input on the descriptor after its files; absent if it has none. */
  settings: Writable | undefined;
  /**
   * The socket that it passes over its channel; `undefined` if it closes the channel or ends
   * without.
   */
  listener: Promise<Server | undefined>;
  /** Resolves when it has ended and all its output has arrived; never rejects. */
  ended: Promise<ProgramExit>;
  /** Whether it has ended. True some time before all its output has arrived. */
  hasExited(): boolean;
  /** Kills it and its process group with SIGKILL, so a skill that ignores SIGTERM gains nothing. */
  kill(): void;
}

/** `exitCode` is 128 plus the signal's number if a signal ended the program, as in a shell. */
export type ProgramExit = { exitCode: number } | { notStarted: Error };

/**
 * Starts a host program in its own process group, with a pipe for each of its streams. `stdout`,
 * `stderr` and `control` are paused: a reader calls `resume()`.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  { env, user, files = [], channel = false, settings: hasSettings = false }: ProgramOptions,
): Program {
  // Named, because comparing the types of what execa infers from a literal takes the compiler seconds.
  const asOwnUser: Options = {
    ...programOptions,
    env,
    stdio: descriptors(files, { channel, hasSettings }),
    ipc: channel,
  };
  const options: Options = user === undefined ? asOwnUser : { ...asOwnUser, uid: user, gid: user };
  const child = execa(file, args, options);
  const [stdin, stdout, stderr, control, startBarrier, ...rest] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Readable,
    Writable,
    ...Writable[],
  ];
  const settings = hasSettings ? rest[files.length] : undefined;
  // execa discards the output of a stream without a reader, unless it is paused.
  for (const stream of [stdout, stderr, control]) stream.pause();
  // A program that has ended reads nothing more.
  for (const stream of [stdin, startBarrier, settings]) stream?.on('error', () => undefined);
  const { nodeChildProcess } = child;
  const hasExited = (): boolean =>
    child.pid === undefined || nodeChildProcess.exitCode !== null || nodeChildProcess.signalCode !== null;
  let abandon: () => void = () => undefined;
  const ended = new Promise<ProgramExit>((resolve) => {
    abandon = () => resolve(exitOf(nodeChildProcess.exitCode, nodeChildProcess.signalCode));
    // Not the error's message, which repeats all arguments.
    void child.then(({ exitCode = null, signal = null, cause, originalMessage }) => {
      if (exitCode !== null || signal !== null) resolve(exitOf(exitCode, signal));
      else resolve({ notStarted: cause instanceof Error ? cause : new Error(originalMessage) });
    });
  });
  const listener = new Promise<Server | undefined>((resolve) => {
    if (!channel) return resolve(undefined);
    // The program has closed its end by then: no more messages follow, and Node closes this end.
    nodeChildProcess.once('message', (_, handle) => resolve(handle as Server));
    nodeChildProcess.once('disconnect', () => resolve(undefined));
    void ended.then(() => resolve(undefined));
  });
  return {
    stdin,
    stdout,
    stderr,
    control,
    startBarrier,
    settings,
    listener,
    ended,
    hasExited,
    kill() {
      // After its end was observed, its id may belong to another process. Processes that still hold
      // its pipes are not waited for.
      if (child.pid === undefined) return;
      if (hasExited()) {
        for (const stream of [stdout, stderr, control]) stream.destroy();
        if (nodeChildProcess.connected) nodeChildProcess.disconnect();
        abandon();
      } else child.kill('SIGKILL');
    },
  };
}

/** Options that disable features of execa; docs/decisions/0028 explains why. */
const programOptions = {
  extendEnv: false,
  cwd: '/',
  buffer: false,
  reject: false,
  cleanup: false,
  verbose: 'none',
  serialization: 'json',
  stripFinalNewline: false,
  // The group, not the process, is killed: bubblewrap's child dies with its parent only some time
  // after it was created, and a kill in between would leave it running.
  killDescendants: true,
} as const;

type FivePipes = readonly ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'];

/** Unused descriptors pad the list up to the channel, which execa puts last. */
function descriptors(
  files: readonly number[],
  { channel, hasSettings }: { channel: boolean; hasSettings: boolean },
): FivePipes {
  const padding = channel ? channelDescriptor - firstFile - files.length : 0;
  if (padding < 0) throw new RangeError(`${files.length} files leave no descriptor for the channel`);
  const input = { value: 'pipe', input: true };
  const all = [
    'pipe',
    'pipe',
    'pipe',
    'pipe',
    input,
    ...files,
    ...(hasSettings ? [input] : []),
    ...Array<'ignore'>(padding).fill('ignore'),
  ];
  // execa accepts numbers beyond the standard streams too, but its types do not.
  return all as unknown as FivePipes;
}

function exitOf(exitCode: number | null, signal: NodeJS.Signals | null): ProgramExit {
  return { exitCode: exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'] };
}
