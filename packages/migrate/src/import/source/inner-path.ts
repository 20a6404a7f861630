import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Why a path that a source wrote is not followed, going on from the path; `undefined` when it stays below the source's folder by
 * its words. Links are the reader's to check.
 */
export function whyOutside(path: string): string | undefined {
  if (path === '' || path.length > 1024) return 'is no path of 1 to 1024 characters';
  if (/[\p{Cc}\p{Cs}]/u.test(path)) return 'has a control character in it';
  if (path.includes('\\')) return 'has a backslash in it; write forward slashes';
  if (/^(\/|~|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path)) return 'is not below the folder of its manifest';
  if (path.split('/').includes('..')) return 'leads out of the folder of its manifest';
  return undefined;
}

/** Whether there is something at `path` below `root`, which is a real path itself, and no link is on the way to it. */
export async function isOwnPath(root: string, path: string): Promise<boolean> {
  return (await realpath(join(root, path)).catch(() => undefined)) === join(root, path);
}
