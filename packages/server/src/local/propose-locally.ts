import { existsSync } from 'node:fs';
import type { Skill } from '@ambit/core';
import type { AuditReader } from '@ambit/core/audit';
import { liesWithin, type Proposal, proposeGrant, unmetRequests } from '@ambit/core/policy';
import { usableSkill } from '@ambit/core/skill';
import type { Environment } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { type ChangedFile, changedFiles, reviewOf } from '../propose/changed-files.ts';
import { recordsOfSkill } from '../propose/records-of-skill.ts';
import { catalogOf, policyOf } from '../setup/skill-service.ts';
import { editableFile } from '../trust/scope-text.ts';
import { type AppliedChanges, applyChanges, inTurn, orUsageError } from './apply-changes.ts';

/** A proposal, and the files that it changes on this machine. */
export interface LocalProposal {
  skill: Skill;
  proposal: Proposal;
  changes: readonly ChangedFile[];
  /** Names the changes. */
  review: string;
  /** The changes left to its author: the files of an installed skill are not changed here. */
  upstream: readonly ChangedFile[];
  /** The requests that would still lack a grant: calls are refused until it is granted or no longer requested. */
  unmet: readonly string[];
}

/** The sources of a proposal. */
interface ProposalSources {
  config: Config;
  environment: Environment;
  home: string;
  /** Opens the daemon's log. */
  openLog(): Promise<Pick<AuditReader, 'query'>>;
}

/**
 * Proposes a grant from the records of a skill in the daemon's log. `since` is in milliseconds since the epoch; `execution` reads
 * the record of one call. Rejects with `SKILL_NOT_FOUND`, and for a skill that cannot be used.
 */
export async function proposeLocally(
  { config, environment, home, openLog }: ProposalSources,
  skillId: string,
  { since, execution, broad }: { since: number | undefined; execution: string | undefined; broad: boolean },
): Promise<LocalProposal> {
  const catalog = catalogOf(config, environment);
  try {
    const skill = await usableSkill(catalog, skillId);
    const { records, more } = await recordsOfSkill(await openLog(), { skill: skill.id, since, execution });
    const policy = policyOf(config);
    const proposal = proposeGrant({
      skill,
      records,
      more,
      policy,
      broad,
      places: { home, dataDir: config.dataDir, exists: existsSync },
    });
    const target = { file: config.file, newFile: editableFile(config) };
    const files = await orUsageError(changedFiles(proposal, skill, target));
    // Its lock and its approval are of exactly these files.
    const isUpstream = ({ path }: ChangedFile): boolean =>
      skill.isInstalled === true && liesWithin(path, skill.root);
    const [changes, upstream] = [files.filter((each) => !isUpstream(each)), files.filter(isUpstream)];
    const review = reviewOf(changes);
    return { skill, proposal, changes, review, upstream, unmet: unmetRequests(policy, skill, proposal) };
  } finally {
    await catalog.close();
  }
}

/** Makes the changes of a proposal. Rejects like `applyChanges`. */
export async function applyProposal(
  config: Config,
  { changes }: Pick<LocalProposal, 'changes'>,
): Promise<AppliedChanges> {
  return inTurn(config, () => applyChanges(config, changes));
}
