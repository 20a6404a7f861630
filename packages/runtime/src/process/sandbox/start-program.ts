import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** How a program of the host is started for a sandbox. */
export interface ProgramOptions {
  /** The whole environment of the program: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Whom to run it as, without any group but his own; absent: as whoever the daemon is. Only for root. */
  user?: number | undefined;
  /** Open files that the program gets, from `firstFile` on. */
  files?: readonly number[];
}

/** The descriptor of `ProgramOptions.files[0]`; before it are the standard three, control and gate. */
export const firstFile = 5;

/** A program that has been started. */
export interface Program {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** What it writes to descriptor 3. */
  control: Readable;
  /** What it reads at descriptor 4. */
  gate: Writable;
  /** Resolves when it has ended and all that it wrote has arrived; it never rejects. */
  ended: Promise<ProgramExit>;
  /** Ends it and all of its group with SIGKILL, at once: a skill that ignores SIGTERM gains nothing. */
  kill(): void;
}

/** `exitCode` is 128 and the signal's number for one that a signal ended, as a shell has it. */
export type ProgramExit = { exitCode: number } | { notStarted: Error };

/**
 * Starts a program of the host in a group of its own, with pipes for all that it says and is told. It has started, and
 * is where this thread is in the kernel's accounts, when this returns.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  { env, cwd, user, files = [] }: ProgramOptions,
): Program {
  const child = spawn(file, args, {
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...files],
    // The group, not the process, is killed: bubblewrap's child is bound to its parent's death only some time after it
    // was made, and a kill in between would leave it running.
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const ended = new Promise<ProgramExit>((resolve) => {
    child.once('error', (notStarted) => resolve({ notStarted }));
    child.once('close', (code, signal) =>
      resolve({ exitCode: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] }),
    );
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
    ...{ stdin, stdout, stderr, control, gate, ended },
    kill() {
      // Once its end has been noted, its number may be somebody else's.
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      killGroup(child.pid);
    },
  };
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
