import type { Skill } from '@ambit/core';
import { partsOfId } from '@ambit/core/skill';
import type { SkillRoot } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { environmentFolder, type InstalledSkill, installedFolder } from '../lock/installed.ts';
import { approvalKey, type Decisions, publisherSubject, versionKey } from './decisions.ts';

/**
 * The folders of the installed skills. A skill is untrusted unless exactly this version of it is approved, and unusable if it
 * is revoked. `decisions` is the reason why they are unknown, if they are: then no installed skill can be used.
 */
export function installedRoots(
  config: Pick<Config, 'installed' | 'dataDir' | 'installs' | 'publishers'>,
  decisions: Decisions | Error,
): SkillRoot[] {
  const { installed, dataDir } = config;
  return Object.entries(installed).map(([id, skill]) => {
    const { namespace, name } = partsOfId(id);
    const { digest, publisher, dependencies } = skill;
    const refused =
      decisions instanceof Error
        ? {
            code: 'STORE_UNAVAILABLE' as const,
            problem: `whether it is approved or revoked is unknown: ${decisions.message}`,
          }
        : revocationOf(skill, decisions);
    const tier = decisions instanceof Error ? undefined : approvedTier(id, skill, decisions, config);
    return {
      path: installedFolder(dataDir, id, digest),
      tier: tier ?? 'untrusted',
      namespace,
      installed: {
        name,
        digest,
        publisher: publisher ?? undefined,
        dependencies:
          dependencies === null
            ? undefined
            : { ...dependencies, root: environmentFolder(dataDir, dependencies.digest) },
        refused,
      },
    };
  });
}

/** The tier that an installed skill is approved for; `undefined` if this version is not approved. */
export function approvedTier(
  id: string,
  { digest, publisher, isWaiting, dependencies }: InstalledSkill,
  { approvals }: Pick<Decisions, 'approvals'>,
  { installs: { whileWaiting }, publishers }: ApprovalSettings,
): 'local' | 'verified' | undefined {
  const locked = dependencies?.digest ?? null;
  const approval = approvals.get(approvalKey(id, versionKey(digest, locked)));
  if (approval?.publisher !== publisher || approval.dependencies !== locked) return undefined;
  if (isWaiting && whileWaiting === 'stop') return undefined;
  // The configuration may have lowered it since.
  return publishers.find(({ name }) => name === publisher)?.tier === 'verified' ? 'verified' : approval.tier;
}

/** The parts of the configuration that approvals depend on. */
export interface ApprovalSettings {
  installs: Pick<Config['installs'], 'whileWaiting'>;
  publishers: Config['publishers'];
}

/** Explains why an installed skill is revoked; `undefined`: it is not. */
export function revocationOf(
  { digest, publisher }: Pick<InstalledSkill, 'digest' | 'publisher'>,
  { revocations }: Decisions,
): { code: 'SKILL_REVOKED'; problem: string } | undefined {
  const subject = [digest, ...(publisher === null ? [] : [publisherSubject(publisher)])].find((each) =>
    revocations.has(each),
  );
  const revocation = subject === undefined ? undefined : revocations.get(subject);
  if (revocation === undefined) return undefined;
  const what = subject === digest ? 'this version' : `its publisher ${publisher}`;
  const why = revocation.reason === null ? '' : `: ${revocation.reason}`;
  return {
    code: 'SKILL_REVOKED',
    problem: `${what} was revoked by ${revocation.by} at ${revocation.at}${why}. Remove it, or update it to another version`,
  };
}

/** Explains why a call of an installed skill must not run; `undefined`: it may. */
export function whyRefused(
  { id, digest, publisher }: Pick<Skill, 'id' | 'digest' | 'publisher'>,
  { installed }: Pick<Config, 'installed'>,
  decisions: Decisions | Error,
): string | undefined {
  if (installed[id] === undefined) return 'it was removed';
  // As of the version that the call runs: another one may be installed by now.
  return decisions instanceof Error
    ? undefined
    : revocationOf({ digest, publisher: publisher ?? null }, decisions)?.problem;
}
