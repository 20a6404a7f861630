import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceFile } from '@ambit/core/internal';

/**
 * Writes the caller's files into a workspace that nothing has run in yet, so that there is nothing to follow. They are
 * open to everybody, because in the sandbox there is only the skill, and it may be another user than this process.
 */
export function putFiles(root: string, files: readonly WorkspaceFile[]): void {
  for (const { path, content } of files) {
    makeFolders(root, dirname(path));
    writeFileSync(join(root, path), content, { flag: 'wx' });
    // After it is made: the umask has no say here.
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
