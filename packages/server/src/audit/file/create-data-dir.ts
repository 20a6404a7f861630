import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates a data directory (mode 700) unless it exists. A new one gets a `.gitignore` for everything in it, so that no commit
 * includes its keys. Returns whether it was created. Throws what the file system does.
 */
export function createDataDir(dir: string): boolean {
  if (mkdirSync(dir, { recursive: true, mode: 0o700 }) === undefined) return false;
  writeGitignore(dir);
  return true;
}

/** Writes the `.gitignore` of a data directory that another command left unfinished. Throws what the file system does. */
export function rewriteGitignore(dir: string): void {
  rmSync(join(dir, '.gitignore'), { force: true });
  writeGitignore(dir);
}

function writeGitignore(dir: string): void {
  try {
    writeFileSync(join(dir, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Another command, or something that copies a data directory here, was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
