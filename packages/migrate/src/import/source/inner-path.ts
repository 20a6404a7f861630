import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns why a path in a source is refused, as the rest of a sentence that begins with the path. `undefined` if
 * the path itself stays below the source's folder. The reader has to check links.
 */
export function whyOutside(path: string): string | undefined {
  if (path === '' || path.length > 1024) return 'is not a path of 1 to 1024 characters';
  if (/[\p{Cc}\p{Cs}]/u.test(path)) return 'has a control character';
  if (path.includes('\\')) return 'has a backslash; use forward slashes';
  if (/^(\/|~|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path)) return "is outside the manifest's folder";
  if (path.split('/').includes('..')) return "leads out of the manifest's folder";
  return undefined;
}

/** Whether `path` exists below `root`, a real path, without a link in between. */
export async function isOwnPath(root: string, path: string): Promise<boolean> {
  return (await realpath(join(root, path)).catch(() => undefined)) === join(root, path);
}
