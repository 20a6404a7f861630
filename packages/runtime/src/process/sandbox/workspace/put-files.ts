import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { partsOf, type WorkspaceEntry } from '@ambit/core/workspace';
import { turns } from '../../../stream/turns.ts';

/** Making a file takes as long as copying this many bytes. */
const entryCost = 32 * 1024;

/**
 * Writes the caller's files into a workspace before anything runs in it. Links are made last, so that no file is written
 * through one. The files are accessible to all users, because the skill may run as another user than this process and is alone
 * in the sandbox. Stops early once `isOver`.
 */
export async function putFiles(
  root: string,
  entries: readonly WorkspaceEntry[],
  isOver: () => boolean,
): Promise<void> {
  const rest = turns();
  const made = new Set(['.']);
  for (const entry of entries) {
    await rest(entryCost);
    if (isOver()) return;
    if ('folder' in entry) makeFolders(root, entry.path, made);
    if (!('content' in entry)) continue;
    const { path, content, executable } = entry;
    makeFolders(root, dirname(path), made);
    const file = openSync(join(root, path), 'wx');
    try {
      for await (const part of partsOf(content)) {
        for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
        await rest(part.length);
        if (isOver()) return;
      }
    } finally {
      closeSync(file);
    }
    // A separate call, because the umask does not apply to it.
    chmodSync(join(root, path), executable ? 0o777 : 0o666);
  }
  const links = entries.filter((entry) => 'link' in entry);
  for (const { path } of links) makeFolders(root, dirname(path), made);
  for (const { path, link } of links) symlinkSync(link, join(root, path));
}

function makeFolders(root: string, folder: string, made: Set<string>): void {
  if (made.has(folder)) return;
  makeFolders(root, dirname(folder), made);
  made.add(folder);
  mkdirSync(join(root, folder));
  chmodSync(join(root, folder), 0o777);
}
