import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';

/** What a program in a sandbox reads as a file, and no file system has a name for. */
export interface UnnamedFile {
  /** A descriptor of its own for each, because each reads from the start. The caller closes it. */
  open(): number;
  /** Frees the file. Descriptors that are already open stay valid. */
  close(): void;
}

/**
 * Writes bytes into a file that has no name any more; it is there until `close`, or for as long as this process. Throws `SANDBOX_UNAVAILABLE` where
 * nothing can be written.
 */
export function unnamedFile(bytes: Uint8Array): UnnamedFile {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, bytes, { mode: 0o600 });
  const held = openSync(file, 'r');
  rmSync(folder, { recursive: true });
  return { open: () => openSync(`/proc/self/fd/${held}`, 'r'), close: () => closeSync(held) };
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'ambit-file-'));
  } catch (cause) {
    throw new SkillError(
      'SANDBOX_UNAVAILABLE',
      `the folder for temporary files, ${tmpdir()}, cannot be used (${(cause as Error).message}): make it, or set TMPDIR to one that this user can write`,
      { cause },
    );
  }
}
