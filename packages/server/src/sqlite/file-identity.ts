import { statSync } from 'node:fs';

/** Identifies a file, regardless of its path. */
export interface FileIdentity {
  dev: number;
  ino: number;
}

/** The identity of the file at a path; `undefined` if none exists. */
export function identify(file: string): FileIdentity | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && { dev: found.dev, ino: found.ino };
}

/** Whether the file at a path is still the one that was opened. */
export function isSame(file: string, opened: FileIdentity | undefined): boolean {
  const found = identify(file);
  return found !== undefined && found.dev === opened?.dev && found.ino === opened.ino;
}
