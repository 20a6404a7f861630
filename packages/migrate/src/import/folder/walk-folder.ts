import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { sourceBounds } from '../source/source.ts';

/**
 * The regular files below a folder whose path `wanted` accepts, sorted by path. Links are not followed.
 * Skips `node_modules`, folders whose name starts with a dot, and folders beyond the depth limit. Throws
 * `UsageError` if there are more files than an import reads.
 */
export async function walkFolder(root: string, wanted: (path: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  let seen = 0;
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(join(root, folder))) {
      if (++seen > sourceBounds.files)
        throw new UsageError(
          `${root} has more than ${sourceBounds.files} files; import one of its subfolders`,
        );
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() && wanted(path)) found.push(path);
      const isSkipped = entry.name.startsWith('.') || entry.name === 'node_modules';
      if (entry.isDirectory() && !isSkipped && depth < sourceBounds.depth) await visit(path, depth + 1);
    }
  };
  await visit('', 0);
  return found;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
