import type { ApprovalAnswer } from '@ambit/api';
import { SkillError } from '@ambit/core';
import { requestLines } from '@ambit/core/inspect';
import { CodedError } from '@ambit/core/outcome';
import { firstCall, isBroken, skillUnusable } from '@ambit/core/skill';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { withVersion } from '../lock/installed.ts';
import { dependenciesDigest, type LockedSkill } from '../lock/lock-file.ts';
import { changeLock } from './apply-versions.ts';
import { storedApproval, versionKey } from './decisions.ts';
import { revocationOf } from './installed-roots.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import type { ApprovalTerms, Installs, Requester, VersionToApprove } from './installs.ts';
import { approvedDigest, lockedSkill } from './list-installed.ts';
import { type NewApproval, newApproval } from './new-approval.ts';
import { pinnedTo } from './new-version.ts';
import { lockedFlaw } from './publishers/provenance.ts';
import { reviewOf } from './review-skill.ts';
import { readVersion } from './stored-versions.ts';

/** A version that can be approved. Nothing is changed yet. */
interface PlannedApproval extends NewApproval {
  id: string;
  digest: string;
  entry: LockedSkill;
  call: ApprovalAnswer['call'];
}

/** Approves versions of installed skills in one change, all or none. See `Installs.approveAll`. */
export async function approveSkills(
  deps: InstallerDeps,
  installed: Installed,
  { skills, tier, until }: Parameters<Installs['approveAll']>[0],
  { actor }: Requester,
): Promise<ApprovalAnswer[]> {
  const time = deps.now();
  const checked = await Promise.allSettled(
    skills.map((skill) => planApproval(installed, skill, { tier, until }, { time, actor })),
  );
  const refused = checked.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (refused.length > 0) throw refusalOfAll(refused, skills.length);
  const found = checked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  // A skill can be named by its id and by its name.
  const plans = [...new Map(found.map((plan) => [plan.id, plan])).values()];

  const entries = Object.fromEntries(plans.map(({ id, entry }) => [id, entry]));
  const { result: approvals } = await changeLock(deps, installed, { entries, actor }, async () => {
    const decided = await Promise.all(
      plans.map(async ({ event, approval, ...plan }) => {
        const { sequence } = await deps.append(event);
        return { ...plan, approval: { ...approval, sequence } };
      }),
    );
    const stored = decided.map(({ id, digest, approval }) => storedApproval(id, digest, approval));
    await deps.store.run('approve', stored);
    return decided;
  });
  await deps.store.run(
    'disapprove',
    approvals.map(({ id, digest, approval }) => ({ id, keep: versionKey(digest, approval.dependencies) })),
  );
  await deps.apply();
  return approvals.map(({ id, digest, approval: { source: _source, ...bound }, call }) => ({
    id,
    digest,
    ...bound,
    call,
  }));
}

/** Checks that a version can be approved. Rejects with the reason if not. */
async function planApproval(
  installed: Installed,
  wanted: VersionToApprove,
  { tier: wantedTier, until }: ApprovalTerms,
  { time, actor }: { time: number; actor: string },
): Promise<PlannedApproval> {
  const { config, lock, decisions } = installed;
  const { id, skill: locked } = lockedSkill(lock, wanted.id);
  const { waiting, ...current } = locked;
  const version = waiting ?? current;
  const { digest, publisher } = version;
  const tier = tierFor(config, id, publisher, wantedTier);
  const dependencies = dependenciesDigest(version);
  if (wanted.digest !== undefined && wanted.digest !== digest)
    throw stale(id, `${id} now has the digest ${digest}, and ${wanted.digest} was to be approved`);
  const review = reviewOf(installed, id, locked);
  if (wanted.review !== undefined && wanted.review !== review)
    throw stale(id, `${id} has changed since that review`);
  // The digest is of the files alone.
  if (
    wanted.digest !== undefined &&
    wanted.review === undefined &&
    (dependencies !== null || waiting?.digest === current.digest)
  )
    throw stale(
      id,
      `the digest of ${id} does not say which packages and signer are approved; name the review`,
    );
  const revoked = revocationOf({ digest, publisher }, decisions);
  if (revoked !== undefined)
    throw new SkillError(
      'SKILL_REVOKED',
      `${id} cannot be approved: ${revoked.problem}. A person decides whether to take the revocation back`,
    );
  const flaw = await lockedFlaw(config.publishers, current.source, { ...version, id });
  if (flaw !== undefined)
    throw new Refusal(
      'SIGNATURE_INVALID',
      `${id} cannot be approved: ${flaw}. To read its source again, run: ambit skills update ${id}`,
    );
  const skill = await readVersion(config.dataDir, { id, digest });
  if (isBroken(skill)) throw skillUnusable(skill);

  const { source } = current;
  const approved = newApproval({
    id,
    version,
    requests: requestLines(skill),
    source,
    tier,
    by: actor,
    until,
    from: approvedDigest(id, locked, decisions) ?? null,
    review: wanted.review ?? null,
    time,
  });
  return {
    ...approved,
    id,
    digest,
    call: firstCall({ ...skill, tier }) ?? null,
    entry: {
      ...withVersion(current, version),
      source,
      folder: current.folder,
      approval: { tier, by: actor, at: approved.approval.at, until },
      pinned: pinnedTo(version) ?? current.pinned,
    },
  };
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
    throw new Refusal(
      'TIER_NOT_ALLOWED',
      `${id} cannot be approved at tier local: the publisher ${publisher} has tier: verified in the configuration. Approve it with --tier verified, or change that line`,
    );
  return wanted ?? highest ?? 'verified';
}

function stale(id: string, what: string): Refusal {
  return new Refusal('REVIEW_STALE', `${what}; read it again with: ambit skills review ${id}`);
}

/** So many reasons are named. */
const namedMax = 20;

/** Returns the refusal of several skills, with the reason for each that cannot be approved. It has the first reason's code. */
function refusalOfAll(refused: readonly unknown[], count: number): unknown {
  const unknown = refused.find((each) => !(each instanceof CodedError));
  const [first] = refused;
  if (unknown !== undefined || count === 1) return unknown ?? first;
  const reasons = (refused as Refusal[]).slice(0, namedMax).map(({ message }) => message);
  const more = refused.length > namedMax ? [`and ${refused.length - namedMax} more`] : [];
  const message = `none of the ${count} skills was approved, because ${refused.length} cannot be: ${[...reasons, ...more].join('; ')}`;
  return new Refusal((first as Refusal).code, message, { cause: first });
}
