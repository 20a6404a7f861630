import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileChange, isWorkspacePath } from '@ambit/core/internal';
import { CliError } from './cli-error.ts';

/**
 * Writes what a run has created or changed below a folder; what it deleted is left to the reader. Names come from the
 * skill: nothing is written through a link, nor anything at all where one names a file of `.git` or `.ambit`. Throws
 * `USAGE_INVALID` for that, and when the folder cannot be written.
 */
export async function saveFiles(folder: string, changes: readonly FileChange[]): Promise<void> {
  const files = changes.filter(({ path, content }) => content !== null && isWorkspacePath(path));
  for (const { path } of files) {
    if (path.split('/').some(decidesWhatRuns))
      throw new CliError(
        'USAGE_INVALID',
        `${path} is not saved: files of .git and .ambit decide what runs on this machine`,
      );
  }
  for (const { path, content } of files) {
    try {
      await writeBelow(folder, path, content ?? '');
    } catch (error) {
      throw new CliError('USAGE_INVALID', `cannot write ${join(folder, path)}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

/** As the file systems have it that ignore case and characters without width. */
function decidesWhatRuns(name: string): boolean {
  return ['.git', '.ambit'].includes(name.replace(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase());
}

async function writeBelow(folder: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true });
  const root = await realpath(folder);
  let place = root;
  for (const name of path.split('/').slice(0, -1)) {
    place = join(place, name);
    await mkdir(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if ((await realpath(place)) !== place) throw new Error(`${place} is a symbolic link`);
  }
  const file = await open(join(root, path), replaceFlags, 0o666);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/** Without following a link, and without waiting for a pipe. */
const replaceFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;
