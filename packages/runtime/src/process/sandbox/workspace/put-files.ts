import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceEntry } from '@ambit/core/internal';

/**
 * Writes the caller's files into a workspace before anything runs in it. Links are made last, so that no file is written
 * through one. The files are accessible to all users, because the skill may run as another user than this process and is alone
 * in the sandbox.
 */
export function putFiles(root: string, entries: readonly WorkspaceEntry[]): void {
  for (const entry of entries) {
    if ('folder' in entry) makeFolders(root, entry.path);
    if (!('content' in entry)) continue;
    const { path, content, executable } = entry;
    makeFolders(root, dirname(path));
    writeFileSync(join(root, path), content, { flag: 'wx' });
    // A separate call, because the umask does not apply to it.
    chmodSync(join(root, path), executable ? 0o777 : 0o666);
  }
  const links = entries.filter((entry) => 'link' in entry);
  for (const { path } of links) makeFolders(root, dirname(path));
  for (const { path, link } of links) symlinkSync(link, join(root, path));
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
