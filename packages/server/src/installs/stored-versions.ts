import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BrokenSkill, Skill } from '@ambit/core';
import { partsOfId } from '@ambit/core/skill';
import { readSkillRoot } from '@ambit/runtime';
import { environmentFolder, environmentsFolder, installedFolder, installsFolder } from '../lock/installed.ts';

/** A version of a skill, by its id and its digest. */
export interface VersionId {
  id: string;
  digest: string;
}

/** Reads a stored version. A missing or damaged version is a `BrokenSkill`, and so is a version with another digest. */
export async function readVersion(dataDir: string, { id, digest }: VersionId): Promise<Skill | BrokenSkill> {
  const { namespace, name } = partsOfId(id);
  const path = installedFolder(dataDir, id, digest);
  return readSkillRoot({ path, tier: 'untrusted', namespace, installed: { name, digest } });
}

/** An empty folder on the file system of the stored versions. The caller removes it. */
export async function stagingFolder(dataDir: string): Promise<string> {
  // Hidden, and on the same file system, so that a version appears in one step.
  const folder = join(installsFolder(dataDir), `${stagingPrefix}${randomUUID()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Moves a staged skill to its place, in one step. Replaces a damaged version. */
export async function storeVersion(dataDir: string, version: VersionId, staged: string): Promise<void> {
  await moveIntoPlace(staged, installedFolder(dataDir, version.id, version.digest));
}

/** Moves locked packages to their place, like a skill. */
export async function storeEnvironment(dataDir: string, digest: string, staged: string): Promise<void> {
  await moveIntoPlace(staged, environmentFolder(dataDir, digest));
}

async function moveIntoPlace(staged: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const aside = `${folder}.${randomUUID()}`;
  const isThere = await rename(folder, aside).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  await rename(staged, folder);
  await openToReaders(folder);
  if (isThere) await removeFolder(aside);
}

/** Removes all locked packages except these, by digest. */
export async function removeOtherEnvironments(dataDir: string, kept: readonly string[]): Promise<void> {
  const paths = new Set(kept.map((digest) => environmentFolder(dataDir, digest)));
  for (const name of await namesIn(environmentsFolder(dataDir))) {
    const path = join(environmentsFolder(dataDir), name);
    if (!paths.has(path)) await removeFolder(path);
  }
}

/** Removes a staging folder or a stored version. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Removes what interrupted commands left. No source may be being read. */
export async function removeStagingFolders(dataDir: string): Promise<void> {
  const folder = installsFolder(dataDir);
  for (const name of await namesIn(folder)) if (isStaging(name)) await removeFolder(join(folder, name));
}

/** Removes every stored version except these. */
export async function removeOtherVersions(dataDir: string, kept: readonly VersionId[]): Promise<void> {
  const folder = installsFolder(dataDir);
  const paths = new Set(kept.map(({ id, digest }) => dirname(installedFolder(dataDir, id, digest))));
  for (const namespace of await namesIn(folder)) {
    if (isStaging(namespace)) continue;
    for (const digest of await namesIn(join(folder, namespace))) {
      const version = join(folder, namespace, digest);
      if (!paths.has(version)) await removeFolder(version);
    }
  }
}

// Hidden: a namespace cannot begin with a dot.
const stagingPrefix = '.staging-';

function isStaging(name: string): boolean {
  return name.startsWith(stagingPrefix);
}

/**
 * Skills that run as another user read the folders and files, whatever the umask of the process that wrote them. Their owner keeps the right to write, without which only root could remove
 * them. Skills see them on a read-only mount, and a changed file is noticed by the digest.
 */
async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openToReaders(join(folder, entry.name));
    else if (entry.isFile()) await openFileToReaders(join(folder, entry.name));
}

/** Everyone may read and execute what its owner may. */
async function openFileToReaders(path: string): Promise<void> {
  const mode = (await lstat(path)).mode & 0o777;
  const readable = mode & 0o500;
  const opened = mode | (readable >> 3) | (readable >> 6);
  if (opened !== mode) await chmod(path, opened);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
