import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { isBroken, partsOfId, skillUnusable } from '@ambit/core/skill';
import { readSkillRoot, treeDigest } from '@ambit/runtime';
import {
  readVersion,
  removeFolder,
  stagingFolder,
  storeEnvironment,
  storeVersion,
} from '../../installs/stored-versions.ts';
import { environmentFolder, installedFolder } from '../../lock/installed.ts';
import { dependenciesDigest, type Lock, type LockedVersion } from '../../lock/lock-file.ts';
import type { Store } from '../../store/store.ts';
import { fetchTree, uploadTree } from './tree-folder.ts';

/** The places of the folders of versions: on this node, and in the database. */
export interface StoredFolders {
  store: Pick<Store, 'run'>;
  dataDir: string;
}

/** A version of a skill in a lock file. */
interface ListedVersion {
  id: string;
  version: LockedVersion;
}

/** Every version that a lock file lists of a skill. */
export function versionsOf(lock: Lock, id: string): ListedVersion[] {
  const skill = lock.skills[id];
  return [skill, skill?.waiting].flatMap((version) => (version === undefined ? [] : [{ id, version }]));
}

/** The digests of all folders that a lock file lists: of versions, and of their packages. */
export function foldersOf(lock: Lock): string[] {
  const versions = Object.keys(lock.skills).flatMap((id) => versionsOf(lock, id));
  return [...new Set(versions.flatMap(({ version }) => digestsOf(version)))];
}

function digestsOf(version: LockedVersion): string[] {
  return [version.digest, dependenciesDigest(version)].flatMap((each) => each ?? []);
}

/** Stores the folders that a lock file lists and the database lacks. Rejects with `LOCK_MISMATCH` if one is damaged here. */
export async function uploadFolders({ store, dataDir }: StoredFolders, lock: Lock): Promise<void> {
  const missing = new Set(await store.run('missingTrees', foldersOf(lock)));
  for (const id of missing.size === 0 ? [] : Object.keys(lock.skills))
    for (const { version } of versionsOf(lock, id)) {
      const { digest, dependencies } = version;
      if (missing.delete(digest)) {
        const skill = await readVersion(dataDir, { id, digest });
        if (isBroken(skill)) throw skillUnusable(skill);
        await uploadTree(store, digest, installedFolder(dataDir, id, digest));
      }
      const locked = dependenciesDigest(version);
      if (locked !== null && missing.delete(locked)) {
        const folder = environmentFolder(dataDir, locked);
        if ((await treeDigest(folder).catch(() => undefined)) !== dependencies?.content)
          throw new SkillError(
            'LOCK_MISMATCH',
            `the packages of ${id} are missing, or not what the lock file says; to fetch them, run: ambit skills sync`,
          );
        await uploadTree(store, locked, folder);
      }
    }
}

/**
 * Fetches what is missing or damaged here of one version, and verifies it as an install does. Rejects if the database lacks it
 * or has something else; then nothing is changed.
 */
export async function fetchVersion(
  { store, dataDir }: StoredFolders,
  { id, version }: ListedVersion,
): Promise<void> {
  const { digest, dependencies } = version;
  const { namespace, name } = partsOfId(id);
  if (isBroken(await readVersion(dataDir, { id, digest })))
    await staged(dataDir, async (folder) => {
      const root = join(folder, name);
      await mkdir(root);
      if (!(await fetchTree(store, digest, root))) throw absent(digest);
      const skill = await readSkillRoot({
        path: root,
        tier: 'untrusted',
        namespace,
        installed: { name, digest },
      });
      if (isBroken(skill)) throw skillUnusable(skill);
      await storeVersion(dataDir, { id, digest }, root);
    });
  const locked = dependenciesDigest(version);
  if (locked !== null && dependencies !== undefined) {
    const { content } = dependencies;
    const isHere = (await treeDigest(environmentFolder(dataDir, locked)).catch(() => undefined)) === content;
    if (!isHere)
      await staged(dataDir, async (folder) => {
        const root = join(folder, 'packages');
        await mkdir(root);
        if (!(await fetchTree(store, locked, root))) throw absent(locked);
        if ((await treeDigest(root)) !== content)
          throw new Error(`the packages ${locked} in the database do not have the digest ${content}`);
        await storeEnvironment(dataDir, locked, root);
      });
  }
}

function absent(digest: string): Error {
  return new Error(`the database does not have ${digest}`);
}

/** Calls `use` with an empty folder, and removes it afterwards. */
async function staged(dataDir: string, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await stagingFolder(dataDir);
  try {
    await use(folder);
  } finally {
    await removeFolder(folder);
  }
}
