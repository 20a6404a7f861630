import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { constants } from 'node:os';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { killIfThere } from './kill-if-there.ts';

/** How a program of the host is started for a sandbox. */
export interface ProgramOptions {
  /** The whole environment of the program: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Whom to run it as, without any group but his own; absent: as whoever the daemon is. Only for root. */
  user?: number | undefined;
  /** Open files that the program gets, from `firstFile` on. */
  files?: readonly number[];
  /** Whether it gets a channel, over which it can hand a listening socket out. */
  channel?: boolean;
}

/** The descriptor of `ProgramOptions.files[0]`; before it are the standard three, control, gate and channel. */
export const firstFile = 6;

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
  gate: Writable;
  /** The socket that it hands over its channel, at descriptor 5; nothing when it closed that, or ended, without. */
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

/** Starts a program of the host in a group of its own, with pipes for all that it says and is told. */
export function startProgram(
  file: string,
  args: readonly string[],
  { env, cwd, user, files = [], channel = false }: ProgramOptions,
): Program {
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      env,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', channel ? 'ipc' : 'ignore', ...files],
      // The group, not the process, is killed: bubblewrap's child is bound to its parent's death only some time after it
      // was made, and a kill in between would leave it running.
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
  } catch (error) {
    return notStarted(error as Error);
  }
  // Without descriptors to spare Node makes no streams at all, and says why a turn later.
  if (child.stdio === undefined) return notStarted(once(child, 'error').then(([error]) => error as Error));
  let abandon: () => void = () => undefined;
  const ended = new Promise<ProgramExit>((resolve) => {
    const exited = (): void => resolve({ exitCode: exitCodeOf(child) });
    child.on('error', (notStarted) => resolve({ notStarted }));
    child.once('close', exited);
    abandon = exited;
  });
  const listener = new Promise<Server | undefined>((resolve) => {
    // The other end has been closed by then: nothing comes after it, and Node closes ours.
    child.once('message', (_, handle) => resolve(handle as Server));
    child.once('disconnect', () => resolve(undefined));
    void ended.then(() => resolve(undefined));
  });
  const [stdin, stdout, stderr, control, gate] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Readable,
    Writable,
  ];
  // A program that is gone does not read what it is told.
  for (const stream of [stdin, gate]) stream.on('error', () => undefined);
  return {
    ...{ stdin, stdout, stderr, control, gate, listener, ended },
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    kill() {
      // Once its end has been noted, its number may be somebody else's; what holds its pipes then is not waited for.
      if (child.exitCode !== null || child.signalCode !== null) {
        for (const stream of [stdout, stderr, control]) stream.destroy();
        if (child.connected) child.disconnect();
        abandon();
      } else if (child.pid !== undefined) killIfThere(-child.pid);
    },
  };
}

function exitCodeOf({ exitCode, signalCode }: ChildProcess): number {
  return exitCode ?? 128 + constants.signals[signalCode ?? 'SIGKILL'];
}

/** In the place of a program that there is not. Whatever it is told is lost: to write to it is no fault. */
function notStarted(reason: Error | Promise<Error>): Program {
  const nothing = (): PassThrough => new PassThrough().end();
  const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    ...{ stdin: nowhere(), stdout: nothing(), stderr: nothing(), control: nothing(), gate: nowhere() },
    listener: Promise.resolve(undefined),
    ended: Promise.resolve(reason).then((error) => ({ notStarted: error })),
    hasExited: () => true,
    kill: () => undefined,
  };
}
