import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a cgroup without processes and those in it, if it exists. */
export async function removeCgroup(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeCgroup(join(folder, entry.name));
  await rmdir(folder);
}
