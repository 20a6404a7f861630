import { join } from 'node:path';
import { partsOfId } from '@ambit/core/internal';
import type { LockedSkill } from './lock-file.ts';

/** An installed skill, by its id in the configuration. */
export type InstalledSkill = Pick<LockedSkill, 'digest' | 'publisher'> & {
  /** Whether a later version waits for approval. */
  isWaiting: boolean;
};

/**
 * The folder of one version of an installed skill. Its name is the name in the id, so that the catalog reads the same id
 * from it.
 */
export function installedFolder(dataDir: string, id: string, digest: string): string {
  const { namespace = '', name } = partsOfId(id);
  return join(installsFolder(dataDir), namespace, digest.replace('sha256:', ''), name);
}

/** The folder of all installed skills. */
export function installsFolder(dataDir: string): string {
  return join(dataDir, 'installs');
}
