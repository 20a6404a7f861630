import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether there is something at `path` below `root`, which is a real path itself, and no link is on the way to it. */
export async function isOwnPath(root: string, path: string): Promise<boolean> {
  return (await realpath(join(root, path)).catch(() => undefined)) === join(root, path);
}
