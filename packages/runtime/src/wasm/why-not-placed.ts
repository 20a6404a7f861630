import { foldersOf, type WorkspaceEntry } from '@ambit/core/workspace';
import { diskBytesMax } from './call-bounds.ts';
import { nodeBytes } from './host/wasi/files/disk.mjs';

/**
 * Returns why entries do not fit into one workspace of this size; `undefined` if they do. Their paths
 * are normalized.
 */
export function whyNotPlaced(entries: readonly WorkspaceEntry[], bytesMax: number): string | undefined {
  const folders = new Set(entries.flatMap(({ path }) => foldersOf(path)));
  const between = entries.find((entry) => !('folder' in entry) && folders.has(entry.path));
  if (between !== undefined)
    return `${JSON.stringify(between.path)} is a file, but another file's path needs a folder there`;
  const bytes = entries.reduce((sum, entry) => sum + ('content' in entry ? entry.content.length : 0), 0);
  const needed = bytes + nodeBytes * (entries.length + folders.size);
  if (needed <= bytesMax) return undefined;
  const remedy = bytesMax < diskBytesMax ? 'send fewer, or raise limits.memoryBytes' : 'send fewer';
  return `they need ${needed} bytes in total, and it has ${bytesMax}: ${remedy}`;
}
