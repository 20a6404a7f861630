import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { CodedError } from '@ambit/core/outcome';
import type { BuiltEnvironment, WantedPackages } from '@ambit/installs';
import { bubblewrapSandbox, egress } from '@ambit/runtime';
import { Refusal } from '../../errors/refusal.ts';
import { dependenciesDigest, type LockedDependencies } from '../../lock/lock-file.ts';
import type { Installed } from '../installer-deps.ts';
import type { Requester } from '../installs.ts';
import type { StagedSkill } from '../read-staged.ts';
import { removeFolder, stagingFolder, storeEnvironment } from '../stored-versions.ts';
import { declaredIn } from './declared-in.ts';

/**
 * Locks the packages that staged skills declare, and builds them: `dependencies` of their versions. A version that is known
 * keeps what was locked for it. A skill whose packages cannot be locked has a `packageProblem`, and none.
 */
export async function lockPackages(
  installed: Installed,
  skills: readonly StagedSkill[],
  requester: Pick<Requester, 'signal' | 'onProgress'>,
): Promise<void> {
  for (const staged of keepPackages(installed, skills)) {
    const known = installed.lock.skills[staged.id];
    const added = (known?.waiting?.dependencies ?? known?.dependencies)?.added ?? [];
    try {
      const locked = await lockedFor(installed, staged, added, requester);
      if (locked !== undefined) staged.version.dependencies = locked;
    } catch (error) {
      requester.signal.throwIfAborted();
      if (!(error instanceof CodedError)) throw error;
      staged.packageProblem = { code: error.code, message: error.message };
    }
  }
}

/** Gives known versions the packages that are locked for them. Returns the skills without any. */
export function keepPackages(
  { lock }: Pick<Installed, 'lock'>,
  skills: readonly StagedSkill[],
): readonly StagedSkill[] {
  for (const { id, version } of skills) {
    const known = lock.skills[id];
    const same = [known?.waiting, known].find(
      (each) => each?.digest === version.digest && each.dependencies !== undefined,
    );
    if (same?.dependencies !== undefined) version.dependencies = same.dependencies;
  }
  return skills.filter(({ version }) => version.dependencies === undefined);
}

/**
 * Locks and builds the packages of one version; `undefined`: it needs none. Rejects with a `CodedError`: a code of the packages,
 * `SANDBOX_UNAVAILABLE` or `PROGRAM_MISSING`.
 */
export async function lockedFor(
  { config }: Pick<Installed, 'config'>,
  { id, root }: { id: string; root: string },
  added: readonly string[],
  { signal, onProgress }: Pick<Requester, 'signal' | 'onProgress'>,
): Promise<LockedDependencies | undefined> {
  const { addedRequirement } = await import('@ambit/installs');
  const declared = await declaredIn(root);
  const requests = added.map((text) => addedRequirement(text));
  const [refused] = [...declared.refused, ...requests.filter((each) => 'reason' in each)];
  if (refused !== undefined) {
    const { file, text, reason } = refused;
    const what = [file, JSON.stringify(text)].filter((part) => part !== '' && part !== '""').join(': ');
    throw new Refusal('DEPENDENCY_UNSUPPORTED', `the packages of ${id} cannot be locked: ${what} ${reason}`);
  }
  const requirements = [
    ...declared.requirements,
    ...requests.flatMap((each) => ('reason' in each ? [] : [each])),
  ];
  if (requirements.length === 0) return undefined;
  onProgress?.(`Locking packages of ${id}`);
  const { packageLock } = declared;
  return buildPackages(config, { requirements, packageLock }, signal, ({ python, packages, content }) => {
    const listed = packages.map((each) => ({ ...each }));
    return listed.length === 0 ? undefined : { added: [...added], python, packages: listed, content };
  });
}

/** Builds exactly the locked packages again. Rejects with `LOCK_MISMATCH` if something else comes out. */
export async function rebuildPackages(
  config: Installed['config'],
  id: string,
  locked: LockedDependencies,
  signal: AbortSignal,
): Promise<void> {
  await buildPackages(config, { locked: locked.packages }, signal, ({ content, python }) => {
    if (content === locked.content && python === locked.python) return locked;
    const why =
      python === locked.python
        ? 'their files differ from what was locked'
        : `they were locked for Python ${locked.python}, and this machine has Python ${python}`;
    throw new SkillError(
      'LOCK_MISMATCH',
      `the packages of ${id} cannot be restored: ${why}; to lock them again, run: ambit skills deps ${id}`,
    );
  });
}

/** Builds packages and stores them under the digest of `entryOf` the result; `undefined`: there is nothing to store. */
async function buildPackages(
  { dataDir, installs, deny }: Installed['config'],
  wanted: WantedPackages,
  signal: AbortSignal,
  entryOf: (built: BuiltEnvironment) => LockedDependencies | undefined,
): Promise<LockedDependencies | undefined> {
  const { buildEnvironment } = await import('@ambit/installs');
  const network = egress(async (name) => Promise.reject(new Error(`no secret ${name} for installs`)));
  const sandbox = bubblewrapSandbox();
  const staging = await stagingFolder(dataDir);
  try {
    const into = join(staging, 'packages');
    await mkdir(into);
    const built = await buildEnvironment(wanted, into, {
      settings: installs.dependencies,
      sandbox,
      egress: network,
      deny: deny.network,
      signal,
      folder: join(staging, 'work'),
    });
    const entry = entryOf(built);
    const digest = dependenciesDigest({ dependencies: entry });
    if (digest !== null) await storeEnvironment(dataDir, digest, into);
    return entry;
  } finally {
    await removeFolder(staging);
    await sandbox.close?.();
    await network.close();
  }
}
