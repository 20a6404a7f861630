import type { InstallChanges } from '@ambit/api';
import { isBroken, skillUnusable } from '@ambit/core/skill';
import { Refusal } from '../errors/refusal.ts';
import { dependenciesDigest, type LockedVersion } from '../lock/lock-file.ts';
import { applyVersions } from './apply-versions.ts';
import { addedPackages } from './dependencies/added-packages.ts';
import { lockedFor } from './dependencies/lock-packages.ts';
import type { FetchingDeps, Installed } from './installer-deps.ts';
import type { Requester } from './installs.ts';
import { lockedSkill } from './list-installed.ts';
import { planVersion } from './new-version.ts';
import { readVersion } from './stored-versions.ts';

/** Locks the packages of an installed skill anew. See `Installs.lockPackages`. */
export async function relockSkill(
  deps: FetchingDeps,
  installed: Installed,
  request: { id: string; add: readonly string[] },
  requester: Requester,
): Promise<InstallChanges> {
  const { id, skill: locked } = lockedSkill(installed.lock, request.id);
  const version = locked.waiting ?? locked;
  const skill = await readVersion(installed.config.dataDir, { id, digest: version.digest });
  if (isBroken(skill)) throw skillUnusable(skill);
  const added = [...new Set([...(version.dependencies?.added ?? []), ...addedPackages(request.add, skill)])];
  const dependencies = await lockedFor(installed, { id, root: skill.root }, added, requester);
  return deps.changing(requester.signal, async (now) => {
    const current = now.lock.skills[id];
    const before = current?.waiting ?? current;
    if (current === undefined || before?.digest !== version.digest || !isSame(before, version))
      throw new Refusal('REVIEW_STALE', `${id} was changed while its packages were locked; try again`);
    const { source, folder, waiting, approval: _approval, pinned: _pinned, ...inForce } = current;
    const { dependencies: _before, ...bare } = waiting ?? inForce;
    const next: LockedVersion = dependencies === undefined ? bare : { ...bare, dependencies };
    const staged = { id, folder, root: skill.root, skill, version: next };
    const plan = await planVersion(deps, now, staged, source, requester.actor);
    requester.signal.throwIfAborted();
    await applyVersions(deps, now, [plan], requester.actor);
    return { skills: [plan.change], refused: [] };
  });
}

function isSame(a: LockedVersion, b: LockedVersion): boolean {
  return dependenciesDigest(a) === dependenciesDigest(b);
}
