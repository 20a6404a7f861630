import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A larger log is renamed at the next start. */
const rotateBytes = 4 * 1024 * 1024;

const tailBytesMax = 16 * 1024;
const tailLines = 10;

/** The log of the daemons on demand of a data directory. */
export function daemonLogFile(dataDir: string): string {
  return join(dataDir, 'daemon.log');
}

/** The log, open for one more daemon. */
export interface OpenDaemonLog {
  file: string;
  descriptor: number;
  /** The last lines that were written since it was opened. */
  lastLines(): string[];
  close(): void;
}

/**
 * Opens the log to append to (mode 600). A large one becomes `daemon.log.1` and replaces the one before it. Throws what the
 * file system does, also for a symbolic link.
 */
export function openDaemonLog(dataDir: string): OpenDaemonLog {
  const file = daemonLogFile(dataDir);
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > rotateBytes) renameSync(file, `${file}.1`);
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const descriptor = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const start = fstatSync(descriptor).size;
  return {
    file,
    descriptor,
    lastLines: () => linesFrom(file, start),
    close: () => closeSync(descriptor),
  };
}

function linesFrom(file: string, start: number): string[] {
  try {
    const written = readFileSync(file).subarray(start).subarray(-tailBytesMax).toString();
    return written.split('\n').filter(Boolean).slice(-tailLines);
  } catch {
    // The error that quotes the lines has the path.
    return [];
  }
}
