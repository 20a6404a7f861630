import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileChange, isWorkspacePath } from '@ambit/core/internal';
import { CliError } from '../ports/cli-error.ts';

/**
 * Writes the files that a run created or changed below a folder. Files that it deleted are not deleted there. The skill
 * chooses the names: nothing is written through a link, and nothing at all if one of them is in `.git` or `.ambit`.
 * Throws `USAGE_INVALID` for these, and if the folder cannot be written.
 */
export async function saveFiles(folder: string, changes: readonly FileChange[]): Promise<void> {
  const files = changes.filter(({ path, content }) => content !== null && isWorkspacePath(path));
  for (const { path } of files) {
    if (path.split('/').some(decidesWhatRuns))
      throw new CliError(
        'USAGE_INVALID',
        `refused to save ${path}: files in .git and .ambit can run commands on this machine. No file was saved`,
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

/** Compares like file systems that ignore case and zero-width characters. */
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

/** Do not follow links, and do not wait for a pipe. */
const replaceFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;
