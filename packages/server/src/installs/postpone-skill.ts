import { dependenciesDigest } from '../lock/lock-file.ts';
import type { PostponementAnswer } from '../wire/answer/installs.ts';
import { changeLock } from './apply-versions.ts';
import { InstallRefusal } from './install-refusal.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import type { Asker, Installs } from './installs.ts';
import { approvedDigest, lockedSkill } from './list-installed.ts';

/** Postpones the decision about a version. See `Installs.postpone`. */
export async function postponeSkill(
  deps: InstallerDeps,
  installed: Installed,
  { id: named, digest: wanted, until }: Parameters<Installs['postpone']>[0],
  { actor }: Asker,
): Promise<PostponementAnswer> {
  const { id, skill } = lockedSkill(installed.lock, named);
  const version = skill.waiting ?? skill;
  const { digest } = version;
  if (skill.waiting === undefined && approvedDigest(id, skill, installed.decisions) !== undefined)
    throw new InstallRefusal('REVIEW_STALE', `${id} is approved, and no version of it waits for a decision`);
  if (wanted !== undefined && wanted !== digest)
    throw new InstallRefusal(
      'REVIEW_STALE',
      `${id} now has the digest ${digest}, and ${wanted} was to be postponed; read it again with: ambit skills review ${id}`,
    );
  const time = deps.now();
  const postponed = { digest, until, by: actor, at: new Date(time).toISOString() };
  const dependencies = dependenciesDigest(version);
  const { result: position } = await changeLock(
    deps,
    installed,
    { entries: { [id]: { ...skill, postponed } }, actor },
    () =>
      deps.append({
        ...{ kind: 'skill.postponed', time, actor, skill: { id, digest } },
        ...(dependencies !== null && { dependencies }),
        until: Date.parse(until),
      }),
  );
  await deps.apply();
  return { id, ...postponed, sequence: position.sequence };
}
