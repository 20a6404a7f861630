import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceFile } from '@ambit/core/internal';

/**
 * Writes the caller's files into a workspace before anything runs in it, so it contains no
 * symlinks. The files are accessible to all users, because the skill may run as another user than
 * this process and is alone in the sandbox.
 */
export function putFiles(root: string, files: readonly WorkspaceFile[]): void {
  for (const { path, content } of files) {
    makeFolders(root, dirname(path));
    writeFileSync(join(root, path), content, { flag: 'wx' });
    // A separate call, because the umask does not apply to it.
    chmodSync(join(root, path), 0o666);
  }
}

function makeFolders(root: string, folder: string): void {
  if (folder === '.') return;
  makeFolders(root, dirname(folder));
  try {
    mkdirSync(join(root, folder));
    chmodSync(join(root, folder), 0o777);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
