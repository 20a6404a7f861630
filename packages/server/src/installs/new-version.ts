import type { InstallChange } from '@ambit/api';
import type { SkillInstalled } from '@ambit/core/audit';
import { isOlder } from '@ambit/core/inspect';
import { defined } from '@ambit/core/json';
import { isBroken } from '@ambit/core/skill';
import { isSameVersion, withVersion } from '../lock/installed.ts';
import { dependenciesDigest, type LockedSkill, type LockedVersion } from '../lock/lock-file.ts';
import type { Approval } from './decisions.ts';
import { packageNames } from './dependencies/package-names.ts';
import { revocationOf } from './installed-roots.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import { approvalOf, approvedDigest } from './list-installed.ts';
import { type NewApproval, newApproval } from './new-approval.ts';
import { provenanceChange } from './publishers/provenance-change.ts';
import type { StagedSkill } from './read-staged.ts';
import { readVersion } from './stored-versions.ts';
import { widened } from './what-it-gets.ts';

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
  approval: NewApproval | undefined;
}

/** Decides what a staged version means: a new skill, an update, a version that waits for approval, or nothing. */
export async function planVersion(
  { now }: Pick<InstallerDeps, 'now'>,
  installed: Installed,
  staged: StagedSkill,
  source: string,
  actor: string,
): Promise<PlannedVersion> {
  const { id, folder, skill, version, runsInWasm = [] } = staged;
  const { config, decisions } = installed;
  const { known, approval, before, wider, provenance } = await comparedWithInstalled(installed, staged);
  const stored = await readVersion(config.dataDir, { id, digest: version.digest });
  const dependencies = dependenciesDigest(version);
  const plan = (change: InstallChange['change'], entry: LockedSkill | undefined): PlannedVersion => ({
    staged,
    entry,
    stores: isBroken(stored),
    change: defined<InstallChange>({
      id,
      change,
      description: skill.manifest.description,
      digest: version.digest,
      from: known?.digest ?? null,
      executable: runsPrograms(version.requests),
      requests: version.requests,
      wider,
      findings: version.findings,
      publisher: version.publisher,
      provenance,
      runsInWasm:
        (change === 'added' || change === 'updated') && runsInWasm.length > 0 ? [...runsInWasm] : undefined,
      packages: packageNames(version),
      packageProblem: staged.packageProblem ?? null,
    }),
    event:
      entry === undefined
        ? undefined
        : {
            kind: 'skill.installed',
            time: now(),
            actor,
            skill: { id, digest: version.digest },
            dependencies: dependencies ?? undefined,
            source: inSource(source, folder),
            resolved: version.resolved,
            from: known?.digest ?? null,
            waits: change === 'waiting',
          },
    approval: undefined,
  });

  const pinned = known?.pinned ?? pinnedTo(version);
  if (known === undefined) return plan('added', { ...version, source, folder, approval: null, pinned });
  const { waiting, ...current } = known;
  if (isSameVersion(known, version) && provenanceChange(known, version) === null) {
    // The source is back at the installed version: nothing waits any more.
    const stays = waiting === undefined && known.resolved === version.resolved && known.folder === folder;
    const { findings, resolved } = version;
    const entry = { ...current, findings, folder, resolved };
    return plan('unchanged', stays ? undefined : entry);
  }
  if (approval === undefined)
    return plan('updated', { ...withVersion(current, version), folder, approval: null, pinned });
  const isKnown =
    waiting !== undefined && isSameVersion(waiting, version) && provenanceChange(waiting, version) === null;
  const next = isKnown ? { ...version, fetchedAt: waiting.fetchedAt } : version;
  const mayTakeOver =
    config.installs.updates === 'auto' &&
    before !== undefined &&
    !isBroken(before) &&
    wider.length === 0 &&
    provenance === null &&
    // The lock file names the source, and could be edited.
    approval.source === source &&
    revocationOf(next, decisions) === undefined &&
    // A person who refused a version decides about the next one too.
    revocationOf(known, decisions) === undefined &&
    dependencies === dependenciesDigest(known) &&
    !isOlder(skill, before) &&
    !isWorse(next, known) &&
    now() - Date.parse(next.fetchedAt) >= config.installs.minAgeHours * 3_600_000;
  if (!mayTakeOver) return plan('waiting', isKnown ? undefined : { ...known, waiting: next });
  return {
    ...plan('approved', { ...withVersion(current, next), folder, approval: null }),
    approval: newApproval({
      id,
      version: next,
      requests: next.requests,
      source,
      tier: approval.tier,
      by: 'installs.updates: auto',
      until: approval.until,
      from: approvedDigest(id, known, decisions) ?? null,
      review: null,
      time: now(),
    }),
  };
}

/** The installed version of a staged skill, if there is one, and how the staged version differs from it. */
async function comparedWithInstalled(
  { config, lock, decisions }: Installed,
  { id, skill, version }: StagedSkill,
) {
  const known = lock.skills[id];
  const approval = known && approvalOf(id, known, decisions);
  const before = known && (await readVersion(config.dataDir, { id, digest: known.digest }));
  return {
    known,
    approval,
    before,
    wider:
      approval === undefined || before === undefined || isBroken(before)
        ? []
        : widened(config, before, skill, approval.tier),
    provenance: known === undefined ? null : provenanceChange(pinOf(known, approval), version),
  };
}

/** Whether requests, as in the lock file, are of a skill with something to run. */
function runsPrograms(requests: readonly string[]): boolean {
  return requests.some((line) => line.startsWith('run '));
}

/** A source with the folder of a skill in it. */
function inSource(source: string, folder: string): string {
  return folder === '' ? source : `${source}#:${folder}`;
}

/** The signer to compare a later version with: as approved, which the store knows; otherwise as the lock file lists it. */
export function pinOf(
  known: LockedSkill,
  approval: Approval | undefined,
): Pick<LockedVersion, 'publisher' | 'identity'> {
  return approval ?? known.pinned ?? known;
}

/** Returns the first signer as the lock file lists it; `null` for a version that is not signed. */
export function pinnedTo({ publisher, identity }: LockedVersion): LockedSkill['pinned'] {
  return publisher === null ? null : { publisher, identity };
}

/** Whether it has more findings that matter. */
function isWorse(version: LockedVersion, than: LockedVersion): boolean {
  return ['high', 'medium'].some(
    (severity) => (version.findings[severity] ?? 0) > (than.findings[severity] ?? 0),
  );
}

/** The change of an installed skill that then has no version, or whose source has none. */
export function withoutVersion(
  id: string,
  change: 'missing' | 'removed',
  { digest, requests, findings, publisher }: LockedSkill,
): InstallChange {
  return {
    id,
    change,
    description: null,
    digest: null,
    from: digest,
    executable: runsPrograms(requests),
    requests,
    wider: [],
    findings,
    publisher,
    provenance: null,
    packages: [],
    packageProblem: null,
  };
}
