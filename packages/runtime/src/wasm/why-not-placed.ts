import { dirname } from 'node:path';
import type { WorkspaceFile } from '@ambit/core/internal';
import { diskBytesMax } from './call-bounds.ts';
import { nodeBytes } from './host/wasi/files/disk.mjs';

/**
 * Returns why files do not fit into one workspace of this size; `undefined` if they do. Their paths
 * are normalized.
 */
export function whyNotPlaced(files: readonly WorkspaceFile[], bytesMax: number): string | undefined {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const between = files.find(({ path }) => folders.has(path));
  if (between !== undefined)
    return `${JSON.stringify(between.path)} is a file, but another file's path needs a folder there`;
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const needed = bytes + nodeBytes * (files.length + folders.size);
  if (needed <= bytesMax) return undefined;
  const remedy = bytesMax < diskBytesMax ? 'send fewer, or raise limits.memoryBytes' : 'send fewer';
  return `they need ${needed} bytes in total, and it has ${bytesMax}: ${remedy}`;
}

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
