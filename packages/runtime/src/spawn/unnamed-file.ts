import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';

/** A file that a program in a sandbox reads and that has no name in any file system. */
export interface UnnamedFile {
  /** Opens a new descriptor that reads from the start. The caller closes it. */
  open(): number;
  /** Frees the file. Descriptors that are already open stay valid. */
  close(): void;
}

/**
 * Writes bytes into a file without a name, which exists until `close` or the end of this process.
 * Throws `SANDBOX_UNAVAILABLE` if the folder for temporary files is not writable or full.
 */
export function unnamedFile(bytes: Uint8Array): UnnamedFile {
  let descriptor: number | undefined = unavailableOr(() => nameless(bytes));
  return {
    open() {
      // Another file may have its number by now.
      if (descriptor === undefined) throw new Error('the file is closed');
      return openSync(`/proc/self/fd/${descriptor}`, 'r');
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** Opens unnamed files; closes all of them if one fails. */
export function unnamedFiles(contents: Readonly<Record<string, Uint8Array>>): Record<string, UnnamedFile> {
  const files: Record<string, UnnamedFile> = {};
  try {
    for (const [name, bytes] of Object.entries(contents)) files[name] = unnamedFile(bytes);
    return files;
  } catch (error) {
    closeAll(files);
    throw error;
  }
}

/** Closes files that are open. */
export function closeAll(files: Readonly<Record<string, UnnamedFile>>): void {
  for (const file of Object.values(files)) file.close();
}

function nameless(bytes: Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-file-'));
  try {
    const file = join(folder, 'file');
    writeFileSync(file, bytes, { mode: 0o600 });
    return openSync(file, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function unavailableOr<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (cause) {
    throw new SkillError(
      'SANDBOX_UNAVAILABLE',
      `cannot write to the folder for temporary files, ${tmpdir()} (${(cause as Error).message}). Create it, free some space in it, or set TMPDIR to a writable folder`,
      { cause },
    );
  }
}
