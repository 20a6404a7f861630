import type { InstallChange, InstallChanges } from '@ambit/api';
import { SkillError } from '@ambit/core';
import { isBroken, partsOfId } from '@ambit/core/skill';
import { treeDigest } from '@ambit/runtime';
import { Refusal } from '../errors/refusal.ts';
import { environmentFolder, lockedVersions } from '../lock/installed.ts';
import { dependenciesDigest, type Lock, type LockedSkill, type LockedVersion } from '../lock/lock-file.ts';
import { type Staged, withStaged } from './add-skills.ts';
import { rebuildPackages } from './dependencies/lock-packages.ts';
import { packageNames } from './dependencies/package-names.ts';
import type { FetchingDeps, Installed } from './installer-deps.ts';
import type { Requester } from './installs.ts';
import { isConfigured, lockedFlaw, unsigned } from './publishers/provenance.ts';
import {
  readVersion,
  removeOtherEnvironments,
  removeOtherVersions,
  removeStagingFolders,
  storeVersion,
  type VersionId,
} from './stored-versions.ts';

/** Every version that a lock file lists. */
export function listedVersions({ skills }: Lock): VersionId[] {
  return Object.entries(skills).flatMap(([id, skill]) =>
    lockedVersions(skill).map(({ digest }) => ({ id, digest })),
  );
}

/** The digests of all packages that a lock file lists. */
export function listedEnvironments({ skills }: Lock): string[] {
  return Object.values(skills)
    .flatMap(lockedVersions)
    .flatMap((version) => dependenciesDigest(version) ?? []);
}

/**
 * Fetches the versions that the lock file lists and that are missing or damaged, each from the commit or the manifest that it names. With
 * `frozen` nothing is fetched. Rejects with `LOCK_MISMATCH` if a version is still missing. See `Installs.sync`.
 */
export async function syncSkills(
  deps: FetchingDeps,
  installed: Installed,
  { frozen }: { frozen: boolean },
  requester: Requester,
): Promise<InstallChanges> {
  const { config } = installed;
  await checkSignatures(installed);
  // Another node may have them.
  if (!frozen) await deps.shared?.restore(deps);
  const wanted = await damagedVersions(installed);
  const packages = await damagedPackages(installed);
  const damaged = [...wanted.map(nameOf), ...packages.map((each) => `${nameOf(each)} with its packages`)];
  if (frozen && damaged.length > 0) throw mismatch(damaged, 'to fetch them, run: ambit skills sync');
  const fetched: InstallChange[] = [];
  const bySource = Map.groupBy(wanted, ({ id, skill, version }) =>
    JSON.stringify([skill.source, version.resolved, partsOfId(id).namespace]),
  );
  for (const versions of bySource.values()) {
    const [first] = versions;
    if (first === undefined) continue;
    const { resolved } = first.version;
    const request = { typed: first.skill.source, resolved, paths: 'absolute' as const };
    const store = async (staged: Staged): Promise<void> => {
      for (const { id, version } of versions) {
        const found = staged.skills.find((each) => each.id === id && each.version.digest === version.digest);
        if (found === undefined) continue;
        await storeVersion(config.dataDir, { id, digest: version.digest }, found.root);
        fetched.push({
          id,
          change: 'fetched',
          description: found.skill.manifest.description,
          digest: version.digest,
          from: version.digest,
          wider: [],
          findings: version.findings,
          executable: version.requests.some((line) => line.startsWith('run ')),
          requests: version.requests,
          publisher: version.publisher,
          provenance: null,
          packages: packageNames(version),
          packageProblem: null,
        });
      }
    };
    // The lock file has the signature.
    const reading = { namespace: partsOfId(first.id).namespace ?? '', provenance: async () => unsigned };
    await withStaged(installed, request, reading, requester, (staged) =>
      deps.changing(requester.signal, () => store(staged)),
    );
  }
  for (const { id, version } of packages) {
    const { dependencies } = version;
    if (dependencies === undefined) continue;
    requester.onProgress?.(`Fetching packages of ${id}`);
    await rebuildPackages(config, id, dependencies, requester.signal);
    fetched.push({
      id,
      change: 'fetched',
      description: null,
      digest: version.digest,
      from: version.digest,
      wider: [],
      executable: version.requests.some((line) => line.startsWith('run ')),
      requests: version.requests,
      findings: version.findings,
      publisher: version.publisher,
      provenance: null,
      packages: packageNames(version),
      packageProblem: null,
    });
  }
  return deps.changing(requester.signal, async (now) => {
    if (fetched.length > 0) await deps.apply();
    const left = (await damagedVersions(now)).map(nameOf);
    if (left.length > 0)
      throw mismatch(
        left,
        'their sources no longer have these versions. To use what the sources have now, remove the skills and add them again',
      );
    if (!frozen) {
      await removeOtherVersions(config.dataDir, listedVersions(now.lock));
      await removeOtherEnvironments(config.dataDir, listedEnvironments(now.lock));
      await removeStagingFolders(config.dataDir);
    }
    return { skills: fetched, refused: [] };
  });
}

/** Verifies the signatures in the lock file, of publishers that are configured. Rejects with `SIGNATURE_INVALID`. */
async function checkSignatures({ config: { publishers }, lock }: Installed): Promise<void> {
  for (const [id, skill] of Object.entries(lock.skills))
    for (const version of lockedVersions(skill)) {
      const flaw = isConfigured(publishers, version)
        ? await lockedFlaw(publishers, skill.source, { ...version, id })
        : undefined;
      if (flaw !== undefined)
        throw new Refusal(
          'SIGNATURE_INVALID',
          `${flaw}. Restore the lock file from version control, or remove the skill and add it again`,
        );
    }
}

interface DamagedVersion {
  id: string;
  skill: LockedSkill;
  version: LockedVersion;
}

function nameOf({ id, version: { digest } }: DamagedVersion): string {
  return `${id} (${digest})`;
}

/** The versions whose packages are missing or changed, each set of packages once. */
async function damagedPackages({ config, lock }: Installed): Promise<DamagedVersion[]> {
  const damaged = new Map<string, DamagedVersion>();
  for (const [id, skill] of Object.entries(lock.skills))
    for (const version of lockedVersions(skill)) {
      const digest = dependenciesDigest(version);
      if (digest === null || damaged.has(digest)) continue;
      const found = await treeDigest(environmentFolder(config.dataDir, digest)).catch(() => undefined);
      if (found !== version.dependencies?.content) damaged.set(digest, { id, skill, version });
    }
  return [...damaged.values()];
}

async function damagedVersions({ config, lock }: Installed): Promise<DamagedVersion[]> {
  const damaged: DamagedVersion[] = [];
  for (const [id, skill] of Object.entries(lock.skills))
    for (const version of lockedVersions(skill))
      if (isBroken(await readVersion(config.dataDir, { id, digest: version.digest })))
        damaged.push({ id, skill, version });
  return damaged;
}

function mismatch(versions: readonly string[], remedy: string): SkillError {
  const more = versions.length > 10 ? ` and ${versions.length - 10} more` : '';
  return new SkillError(
    'LOCK_MISMATCH',
    `the files of ${versions.slice(0, 10).join(', ')}${more} are missing, or not what the lock file says; ${remedy}`,
  );
}
