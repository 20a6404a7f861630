import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether `path` exists below `root`, a real path, without a link in between. */
export async function isOwnPath(root: string, path: string): Promise<boolean> {
  return (await realpath(join(root, path)).catch(() => undefined)) === join(root, path);
}
