import { join } from 'node:path';
import { partsOfId, type SkillDependencies } from '@ambit/core/skill';
import { dependenciesDigest, type LockedSkill, type LockedVersion } from './lock-file.ts';

/** An installed skill, by its id in the configuration. */
export type InstalledSkill = Pick<LockedSkill, 'digest' | 'publisher'> & {
  /** Whether a later version waits for approval. */
  isWaiting: boolean;
  /** Its locked packages; `null`: none. */
  dependencies: Omit<SkillDependencies, 'root'> | null;
};

/** An entry of the lock file, as the configuration has it. */
export function installedSkill(skill: LockedSkill): InstalledSkill {
  const { digest, publisher, waiting, dependencies } = skill;
  const locked = dependenciesDigest(skill);
  return {
    digest,
    publisher,
    isWaiting: waiting !== undefined,
    dependencies:
      dependencies === undefined || locked === null
        ? null
        : {
            digest: locked,
            content: dependencies.content,
            python: dependencies.python,
            node: dependencies.packages.some(({ kind }) => kind === 'npm'),
          },
  };
}

/** The versions that an entry lists: the one in force, then the one that waits for approval, if any. */
export function lockedVersions({ waiting, ...current }: LockedSkill): LockedVersion[] {
  return waiting === undefined ? [current] : [current, waiting];
}

/** Whether two versions are equal in everything that an approval is bound to by digest. */
export function isSameVersion(a: LockedVersion, b: LockedVersion): boolean {
  return a.digest === b.digest && dependenciesDigest(a) === dependenciesDigest(b);
}

/** An entry with another version of its skill, without any field of the former version, known or not. */
export function withVersion(entry: LockedSkill, version: LockedVersion): LockedSkill {
  const { source, folder, approval, pinned } = entry;
  return { ...version, source, folder, approval, pinned };
}

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

/** The folder of locked packages, by the digest of what the lock file lists. Skills with the same packages share it. */
export function environmentFolder(dataDir: string, digest: string): string {
  return join(environmentsFolder(dataDir), digest.replace('sha256:', ''));
}

/** The folder of all locked packages. */
export function environmentsFolder(dataDir: string): string {
  return join(dataDir, 'packages');
}
