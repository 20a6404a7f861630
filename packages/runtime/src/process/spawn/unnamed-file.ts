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
 * Throws `SANDBOX_UNAVAILABLE` if the folder for temporary files is not writable.
 */
export function unnamedFile(bytes: Uint8Array): UnnamedFile {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, bytes, { mode: 0o600 });
  const descriptor = openSync(file, 'r');
  rmSync(folder, { recursive: true });
  return { open: () => openSync(`/proc/self/fd/${descriptor}`, 'r'), close: () => closeSync(descriptor) };
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'ambit-file-'));
  } catch (cause) {
    throw new SkillError(
      'SANDBOX_UNAVAILABLE',
      `cannot write to the folder for temporary files, ${tmpdir()} (${(cause as Error).message}). Create it, or set TMPDIR to a writable folder`,
      { cause },
    );
  }
}
