import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { listFiles } from '../../scripts/check/list-files.mjs';

/** A copy of the repository that can be changed. */
export interface PrivateCopy {
  folder: string;
  remove(): Promise<void>;
}

/**
 * Copies the files of a repository, committed or not, without what Git ignores. Installed packages are linked, and the
 * workspaces' links to one another lead to the copy. It has no bundle, so the first run makes one.
 */
export async function privateCopy(root: string): Promise<PrivateCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-mutants-'));
  // Daemons of an interrupted run may write until they have ended.
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 20 });
  try {
    for (const path of listFiles(root)) await cp(join(root, path), join(folder, path), options);
    await symlink(join(root, '.toolchain'), join(folder, '.toolchain'));
    for (const path of await linkFoldersOf(root)) {
      const isStore = (from: string): boolean => from === join(root, 'node_modules/.pnpm');
      const filter = (from: string): boolean => !isStore(from) && !from.endsWith(`${sep}.cache`);
      await cp(join(root, path), join(folder, path), { ...options, filter });
    }
    await symlink(join(root, 'node_modules/.pnpm'), join(folder, 'node_modules/.pnpm'));
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true } as const;

/** The folders with links to packages: the root's, and one in each workspace. */
async function linkFoldersOf(root: string): Promise<string[]> {
  const found = ['node_modules'];
  for (const above of ['.', 'packages', 'examples'])
    for (const { name } of await readdir(join(root, above), { withFileTypes: true })) {
      const path = join(above, name, 'node_modules');
      const isThere = await readdir(join(root, path)).then(
        () => true,
        () => false,
      );
      if (isThere && name !== 'node_modules' && !name.startsWith('.')) found.push(path);
    }
  return found;
}
