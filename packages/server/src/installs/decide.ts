import { SkillError } from '@ambit/core';
import { isBroken, requestLines, skillUnusable } from '@ambit/core/internal';
import type { Config } from '../config/config.ts';
import { withVersion } from '../lock/installed.ts';
import { dependenciesDigest, type Lock, type LockedSkill } from '../lock/lock-file.ts';
import type { ApprovalAnswer, RevocationAnswer } from '../wire/answer/installs.ts';
import { changeLock } from './apply-versions.ts';
import { type Decisions, publisherSubject, storedApproval, versionKey } from './decisions.ts';
import { InstallRefusal } from './install-refusal.ts';
import { revocationOf } from './installed-roots.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import type { Asker, Installs } from './installs.ts';
import { approvedDigest, lockedSkill } from './list-installed.ts';
import { pinnedTo } from './new-version.ts';
import { lockedFlaw } from './publishers/provenance.ts';
import { reviewOf } from './review-skill.ts';
import { readVersion } from './stored-versions.ts';

/** Approves a version of an installed skill. See `Installs.approve`. */
export async function approveSkill(
  deps: InstallerDeps,
  installed: Installed,
  request: Parameters<Installs['approve']>[0],
  { actor }: Asker,
): Promise<ApprovalAnswer> {
  const { config, lock, decisions } = installed;
  const { id, skill: locked } = lockedSkill(lock, request.id);
  const { waiting, ...current } = locked;
  const version = waiting ?? current;
  const { digest, publisher, identity } = version;
  const tier = tierFor(config, id, publisher, request.tier);
  const dependencies = dependenciesDigest(version);
  if (request.digest !== undefined && request.digest !== digest)
    throw stale(id, `${id} now has the digest ${digest}, and ${request.digest} was to be approved`);
  const review = reviewOf(installed, id, locked);
  if (request.review !== undefined && request.review !== review)
    throw stale(id, `what was reviewed of ${id} has changed since`);
  const revoked = revocationOf({ digest, publisher }, decisions);
  if (revoked !== undefined)
    throw new SkillError(
      'SKILL_REVOKED',
      `${id} cannot be approved: ${revoked.problem}. To take the revocation back, run: ambit skills restore ${digest}`,
    );
  const flaw = await lockedFlaw(config.publishers, current.source, { ...version, id });
  if (flaw !== undefined)
    throw new InstallRefusal(
      'SIGNATURE_INVALID',
      `${id} cannot be approved: ${flaw}. To read its source again, run: ambit skills update ${id}`,
    );
  const skill = await readVersion(config.dataDir, { id, digest });
  if (isBroken(skill)) throw skillUnusable(skill);

  const from = approvedDigest(id, locked, decisions) ?? null;
  const bound = { requests: requestLines(skill), publisher, identity, tier };
  const packages = dependencies === null ? {} : { dependencies };
  const time = deps.now();
  const at = new Date(time).toISOString();
  const entry: LockedSkill = {
    ...withVersion(current, version),
    ...{ source: current.source, folder: current.folder },
    approval: { tier, by: actor, at },
    pinned: pinnedTo(version) ?? current.pinned,
  };
  const { result: approval } = await changeLock(config.lockFile, lock, { [id]: entry }, async () => {
    const { sequence } = await deps.append({
      ...{ kind: 'skill.approved', time, actor, skill: { id, digest }, ...packages },
      ...{ ...bound, from, review: request.review ?? null },
    });
    const decided = { ...bound, dependencies, by: actor, at, sequence };
    await deps.store.run('approve', [storedApproval(id, digest, decided)]);
    return decided;
  });
  await deps.store.run('disapprove', [{ id, keep: versionKey(digest, dependencies) }]);
  await deps.apply();
  return { id, digest, ...approval };
}

/** The tier to approve. A publisher in the configuration can lower it, and never raises it. */
function tierFor(
  { publishers }: Config,
  id: string,
  publisher: string | null,
  wanted: 'local' | 'verified' | undefined,
): 'local' | 'verified' {
  const highest = publishers.find(({ name }) => name === publisher)?.tier;
  if (wanted === 'local' && highest === 'verified')
    throw new InstallRefusal(
      'TIER_NOT_ALLOWED',
      `${id} cannot be approved at tier local: the publisher ${publisher} has tier: verified in the configuration. Approve it with --tier verified, or change that line`,
    );
  return wanted ?? highest ?? 'verified';
}

function stale(id: string, what: string): InstallRefusal {
  return new InstallRefusal('REVIEW_STALE', `${what}; read it again with: ambit skills review ${id}`);
}

/** Revokes a version or a publisher. See `Installs.revoke`. */
export async function revokeSubject(
  deps: InstallerDeps,
  { lock }: Installed,
  { subject: named, reason }: { subject: string; reason: string | null },
  { actor }: Asker,
): Promise<RevocationAnswer> {
  const subjects = subjectsOf(lock, named);
  const skills = concerned(lock, subjects);
  const time = deps.now();
  const record = { reason, by: actor, at: new Date(time).toISOString() };
  const answers: RevocationAnswer[] = [];
  for (const subject of subjects) {
    const about = { subject, skills, reason };
    const { sequence } = await deps.append({ kind: 'skill.revoked', time, actor, ...about });
    answers.push({ ...about, ...record, sequence });
  }
  await deps.store.run(
    'revoke',
    answers.map(({ subject }) => ({ subject, record: JSON.stringify(record) })),
  );
  await deps.apply();
  return answers[0] as RevocationAnswer;
}

/** Takes a revocation back. See `Installs.restore`. */
export async function restoreSubject(
  deps: InstallerDeps,
  { lock, decisions }: Installed,
  named: string,
  { actor }: Asker,
): Promise<RevocationAnswer> {
  const subject = subjectsOf(lock, named).find((each) => decisions.revocations.has(each));
  const revocation = subject === undefined ? undefined : decisions.revocations.get(subject);
  if (subject === undefined || revocation === undefined)
    throw new InstallRefusal(
      'INSTALL_NOT_FOUND',
      `${named.slice(0, 200)} is not revoked${listed(decisions)}`,
    );
  const about = { subject, skills: concerned(lock, [subject]), reason: revocation.reason };
  const time = deps.now();
  const { sequence } = await deps.append({ kind: 'skill.restored', time, actor, ...about });
  await deps.store.run('restore', subject);
  await deps.apply();
  return { ...about, by: actor, at: new Date(time).toISOString(), sequence };
}

function listed({ revocations }: Decisions): string {
  const subjects = [...revocations.keys()].slice(0, 10);
  return subjects.length === 0 ? '; nothing is' : `; these are: ${subjects.join(', ')}`;
}

/** Whether it is a digest or a publisher. */
export function namesNoSkill(named: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(named) || named.startsWith(publisherSubject(''));
}

/** A digest or a publisher as named; of a skill every version that the lock file lists. Throws `INSTALL_NOT_FOUND`. */
function subjectsOf(lock: Lock, named: string): string[] {
  if (namesNoSkill(named)) return [named];
  const { digest, waiting } = lockedSkill(lock, named).skill;
  return [...new Set([digest, ...(waiting === undefined ? [] : [waiting.digest])])];
}

/** The installed skills that a revocation of these subjects concerns. */
export function concerned({ skills }: Lock, subjects: readonly string[]): string[] {
  return Object.entries(skills)
    .filter(([, { digest, publisher, waiting }]) =>
      [digest, waiting?.digest, publisher === null ? undefined : publisherSubject(publisher)].some(
        (each) => each !== undefined && subjects.includes(each),
      ),
    )
    .map(([id]) => id)
    .sort();
}
