import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceFile } from '@ambit/core';

/**
 * Writes the caller's files into a workspace that nothing has run in yet, so that there is nothing to follow. They can
 * be read and written by the skill's user, whoever that is.
 */
export function putFiles(root: string, files: readonly WorkspaceFile[]): void {
  for (const { path, content } of files) {
    const folder = dirname(path);
    if (folder !== '.') makeFolders(root, folder);
    writeFileSync(join(root, path), content, { mode: 0o666, flag: 'wx' });
  }
}

/** Each for itself: a mode given to `mkdir -p` is cut by the umask only for the last. */
function makeFolders(root: string, folder: string): void {
  mkdirSync(join(root, folder), { recursive: true, mode: 0o777 });
}
