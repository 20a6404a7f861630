import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileChange, isWorkspacePath } from '@ambit/core';
import { CliError } from './cli-error.ts';

/**
 * Writes what a run has created or changed below a folder; what it deleted is left to the reader. Names come from the
 * skill, so that only those are used that can lead nowhere else. Throws `USAGE_INVALID` when the folder cannot be
 * written.
 */
export async function saveFiles(folder: string, changes: readonly FileChange[]): Promise<void> {
  for (const { path, content } of changes) {
    if (content === null || !isWorkspacePath(path)) continue;
    try {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    } catch (error) {
      throw new CliError('USAGE_INVALID', `cannot write ${join(folder, path)}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}
