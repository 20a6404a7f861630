import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type FileChange, isWorkspacePath, type WorkspaceFile } from '@ambit/core';
import { CliError } from './cli-error.ts';

/** Files for the workspace, each under its own name. Throws `USAGE_INVALID` when one cannot be read. */
export async function readFiles(cwd: string, paths: readonly string[]): Promise<WorkspaceFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      try {
        return { path: basename(path), content: await readFile(resolve(cwd, path)) };
      } catch (error) {
        throw new CliError('USAGE_INVALID', `cannot read ${path}: ${(error as Error).message}`, {
          cause: error,
        });
      }
    }),
  );
}

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
