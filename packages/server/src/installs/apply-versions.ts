import { draftLock, type Lock, type LockedSkill } from '../lock/lock-file.ts';
import type { StoredApproval } from '../store/operations/decisions.ts';
import { storedApproval } from './decisions.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import type { PlannedVersion } from './new-version.ts';
import { storeVersion } from './stored-versions.ts';

/**
 * Makes planned changes: stores the files and the next lock file, records the changes, then lists them in the lock file. A
 * process that ends between two steps leaves the old state, and files that nothing refers to. Resolves to what the lock file
 * lists then.
 */
export async function applyVersions(
  deps: InstallerDeps,
  installed: Installed,
  plans: readonly PlannedVersion[],
  actor: string,
): Promise<Lock> {
  const { config, lock } = installed;
  for (const { staged, stores } of plans) {
    if (stores)
      await storeVersion(config.dataDir, { id: staged.id, digest: staged.version.digest }, staged.root);
  }
  const events = plans
    .flatMap(({ event, approval }) => [event, approval?.event])
    .filter((event) => event !== undefined);
  const entries = plans.flatMap(({ staged: { id }, entry }) =>
    entry === undefined ? [] : [[id, entry] as const],
  );
  const change = async (): Promise<StoredApproval[]> => {
    const positions = await Promise.all(
      events.map(async (event) => [event, await deps.append(event)] as const),
    );
    const taken = plans.flatMap(({ staged: { id, version }, approval }) => {
      const position = positions.find(([event]) => event === approval?.event)?.[1];
      return approval === undefined || position === undefined
        ? []
        : [storedApproval(id, version.digest, { ...approval.approval, sequence: position.sequence })];
    });
    if (taken.length > 0) await deps.store.run('approve', taken);
    return taken;
  };
  const { result: taken, lock: changed } =
    entries.length === 0
      ? { result: await change(), lock }
      : await changeLock(deps, installed, { entries: Object.fromEntries(entries), actor }, change);
  if (taken.length > 0)
    await deps.store.run(
      'disapprove',
      taken.map(({ id, digest }) => ({ id, keep: digest })),
    );
  if (plans.some(({ stores, entry }) => stores || entry !== undefined)) await deps.apply();
  return changed;
}

/**
 * Writes the lock file with new entries; `undefined` removes one. `change` runs once the file is known to fit on the disk, and
 * before it is replaced, here and on the other nodes of a cluster. Rejects with `LOCK_INVALID`, or as `change` does; the lock
 * file is unchanged then.
 */
export async function changeLock<Result>(
  deps: InstallerDeps,
  { config: { lockFile }, lock, revision }: Installed,
  { entries, actor }: { entries: Readonly<Record<string, LockedSkill | undefined>>; actor: string },
  change: () => Promise<Result>,
): Promise<{ result: Result; lock: Lock }> {
  const skills = Object.entries({ ...lock.skills, ...entries }).filter(([, entry]) => entry !== undefined);
  const changed = { ...lock, skills: Object.fromEntries(skills) as Record<string, LockedSkill> };
  const draft = await draftLock(lockFile, changed);
  let isCommitted = false;
  const commit = async (): Promise<void> => {
    isCommitted = true;
    await draft.commit();
  };
  try {
    if (deps.shared !== undefined)
      return {
        result: await deps.shared.publish(deps, { lock: changed, revision, actor }, change, commit),
        lock: changed,
      };
    const result = await change();
    await commit();
    return { result, lock: changed };
  } catch (error) {
    if (!isCommitted) await draft.discard();
    throw error;
  }
}
