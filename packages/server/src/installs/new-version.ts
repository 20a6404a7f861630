import {
  isBroken,
  isOlder,
  type SkillApproved,
  type SkillInstalled,
  widenedRequests,
} from '@ambit/core/internal';
import type { LockedSkill, LockedVersion } from '../lock/lock-file.ts';
import type { InstallChange } from '../wire/answer/installs.ts';
import { type Approval, approvalKey } from './decisions.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import { approvedDigest } from './list-installed.ts';
import type { StagedSkill } from './read-staged.ts';
import { readVersion } from './stored-versions.ts';

/** The planned change for a staged version of a skill. Nothing is changed yet. */
export interface PlannedVersion {
  staged: StagedSkill;
  /** The entry for the lock file; `undefined`: it is unchanged. */
  entry: LockedSkill | undefined;
  /** Whether its files have to be stored. */
  stores: boolean;
  change: InstallChange;
  /** The event that records the change; `undefined`: nothing changes. */
  event: SkillInstalled | undefined;
  /** The approval that it takes over by `installs.updates: auto`. */
  approval: { event: SkillApproved; approval: Omit<Approval, 'sequence'> } | undefined;
}

/** Decides what a staged version means: a new skill, an update, a version that waits for approval, or nothing. */
export async function planVersion(
  { now }: Pick<InstallerDeps, 'now'>,
  { config, lock, decisions }: Installed,
  staged: StagedSkill,
  source: string,
  actor: string,
): Promise<PlannedVersion> {
  const { id, folder, skill, version } = staged;
  const known = lock.skills[id];
  const approved = known && approvedDigest(id, known, decisions);
  const before =
    known === undefined ? undefined : await readVersion(config.dataDir, { id, digest: known.digest });
  const wider =
    approved === undefined || before === undefined || isBroken(before) ? [] : widenedRequests(before, skill);
  const plan = (change: InstallChange['change'], entry: LockedSkill | undefined): PlannedVersion => ({
    ...{ staged, entry, stores: change !== 'unchanged' || before === undefined || isBroken(before) },
    change: {
      ...{ id, change, description: skill.manifest.description, digest: version.digest },
      ...{
        from: known?.digest ?? null,
        executable: version.requests.some((line) => line.startsWith('run ')),
      },
      ...{ requests: version.requests, wider, findings: version.findings },
    },
    event:
      entry === undefined
        ? undefined
        : {
            ...{ kind: 'skill.installed', time: now(), actor, skill: { id, digest: version.digest } },
            ...{ source: folder === '' ? source : `${source}#:${folder}`, resolved: version.resolved },
            ...{ from: known?.digest ?? null, waits: change === 'waiting' },
          },
    approval: undefined,
  });

  if (known === undefined) return plan('added', { ...version, source, folder, approval: null });
  const { waiting, ...current } = known;
  if (known.digest === version.digest) {
    // The source is back at the installed version: nothing waits any more.
    const stays = waiting === undefined && known.resolved === version.resolved && known.folder === folder;
    return plan('unchanged', stays ? undefined : { ...current, folder, resolved: version.resolved });
  }
  if (approved === undefined) return plan('updated', { ...current, ...version, folder, approval: null });
  const next = waiting?.digest === version.digest ? { ...version, fetchedAt: waiting.fetchedAt } : version;
  const mayTakeOver =
    config.installs.updates === 'auto' &&
    before !== undefined &&
    !isBroken(before) &&
    wider.length === 0 &&
    next.publisher === known.publisher &&
    !isOlder(skill, before) &&
    !isWorse(next, known) &&
    now() - Date.parse(next.fetchedAt) >= config.installs.minAgeHours * 3_600_000;
  if (!mayTakeOver) {
    const isKnown = waiting?.digest === version.digest;
    return plan('waiting', isKnown ? undefined : { ...known, waiting: next });
  }
  const { tier } = decisions.approvals.get(approvalKey(id, approved)) as Approval;
  const by = 'installs.updates: auto';
  const taken = plan('approved', { ...current, ...next, folder, approval: null });
  const bound = { requests: next.requests, publisher: next.publisher, tier };
  return {
    ...taken,
    approval: {
      event: {
        ...{ kind: 'skill.approved', time: now(), actor: by, skill: { id, digest: next.digest } },
        ...{ ...bound, from: approved, review: null },
      },
      approval: { ...bound, by, at: new Date(now()).toISOString() },
    },
  };
}

/** Whether it has more findings that matter. */
function isWorse(version: LockedVersion, than: LockedVersion): boolean {
  return ['high', 'medium'].some(
    (severity) => (version.findings[severity] ?? 0) > (than.findings[severity] ?? 0),
  );
}
