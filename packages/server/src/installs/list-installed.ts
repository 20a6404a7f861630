import { existsSync } from 'node:fs';
import type { InstalledSummary, InstallState } from '@ambit/api';
import { isBroken } from '@ambit/core/skill';
import { Refusal } from '../errors/refusal.ts';
import { environmentFolder, installedSkill } from '../lock/installed.ts';
import { dependenciesDigest, type Lock, type LockedSkill } from '../lock/lock-file.ts';
import { type Approval, approvalKey, type Decisions, versionKey } from './decisions.ts';
import { approvedTier, revocationOf } from './installed-roots.ts';
import type { Installed } from './installer-deps.ts';
import { readVersion } from './stored-versions.ts';

/** Every installed skill, by id. Reads the stored files. */
export async function listInstalled(installed: Installed): Promise<InstalledSummary[]> {
  const summaries: InstalledSummary[] = [];
  for (const [id, skill] of Object.entries(installed.lock.skills))
    summaries.push(await summaryOf(installed, id, skill));
  return summaries.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** One installed skill. Reads its stored files. */
export async function summaryOf(
  { config, decisions }: Pick<Installed, 'config' | 'decisions'>,
  id: string,
  skill: LockedSkill,
): Promise<InstalledSummary> {
  const { digest, publisher, identity, waiting, source, folder, resolved, requests, findings } = skill;
  const version = installedSkill(skill);
  const { dependencies } = version;
  const tier = approvedTier(id, version, decisions, config);
  const key = approvalKey(id, versionKey(digest, dependencies?.digest ?? null));
  const expired = decisions.expired.get(key);
  const isDamaged =
    isBroken(await readVersion(config.dataDir, { id, digest })) ||
    (dependencies !== null && !existsSync(environmentFolder(config.dataDir, dependencies.digest)));
  const state = (): InstallState => {
    if (revocationOf(version, decisions) !== undefined) return 'revoked';
    if (isDamaged) return 'damaged';
    if (waiting !== undefined) return 'waiting';
    if (tier !== undefined) return 'approved';
    return expired === undefined ? 'unapproved' : 'expired';
  };
  return {
    id,
    state: state(),
    source,
    folder,
    resolved,
    digest,
    tier: tier ?? 'untrusted',
    requests,
    findings,
    publisher,
    identity,
    waiting: waiting?.digest ?? null,
    dependencies: dependencies?.digest ?? null,
    until: (decisions.approvals.get(key) ?? expired)?.until ?? null,
  };
}

/** The id and entry of an installed skill, by its id or its name. Throws `INSTALL_NOT_FOUND`. */
export function lockedSkill({ skills }: Lock, named: string): { id: string; skill: LockedSkill } {
  const ids = Object.keys(skills).filter((id) => id === named || id.endsWith(`:${named}`));
  const id = ids.find((each) => each === named) ?? ids[0];
  const skill = id === undefined ? undefined : skills[id];
  if (id === undefined || skill === undefined)
    throw new Refusal(
      'INSTALL_NOT_FOUND',
      `no installed skill has the id ${JSON.stringify(named.slice(0, 200))}; "ambit skills installed" lists them`,
    );
  if (ids.length > 1 && id !== named)
    throw new Refusal('INSTALL_NOT_FOUND', `${ids.join(', ')} have this name; use one of these ids`);
  return { id, skill };
}

/** Installed skills by id or name; without any, all of them. Throws `INSTALL_NOT_FOUND`. */
export function lockedSkills(lock: Lock, named: readonly string[]): { id: string; skill: LockedSkill }[] {
  if (named.length > 0) return named.map((each) => lockedSkill(lock, each));
  return Object.entries(lock.skills).map(([id, skill]) => ({ id, skill }));
}

/** The approved digest of a skill; `undefined`: none. */
export function approvedDigest(id: string, skill: LockedSkill, decisions: Decisions): string | undefined {
  const settings = { installs: { whileWaiting: 'run' as const }, publishers: [] };
  const tier = approvedTier(id, installedSkill(skill), decisions, settings);
  return tier === undefined ? undefined : skill.digest;
}

/** The approval of the version that is in force; `undefined`: it is not approved. */
export function approvalOf(id: string, skill: LockedSkill, decisions: Decisions): Approval | undefined {
  if (approvedDigest(id, skill, decisions) === undefined) return undefined;
  return decisions.approvals.get(approvalKey(id, versionKey(skill.digest, dependenciesDigest(skill))));
}
