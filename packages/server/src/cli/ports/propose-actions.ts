import type { Skill } from '@ambit/core';
import type { Proposal } from '@ambit/core/internal';
import type { Config } from '../../config/config.ts';
import type { ChangedFile } from '../../propose/changed-files.ts';

/** A proposal, and the files that it changes on this machine. */
export interface LocalProposal {
  skill: Skill;
  proposal: Proposal;
  changes: readonly ChangedFile[];
}

/** What `ambit skills propose` does. */
export interface ProposeActions {
  /**
   * Reads the records of a skill from the daemon's log, or from the log on disk. `since` is in milliseconds since the epoch.
   * Rejects with `SKILL_NOT_FOUND`, and for a skill that cannot be used.
   */
  propose(
    config: Config,
    skillId: string,
    options: { since: number | undefined; broad: boolean },
  ): Promise<LocalProposal>;
  /** Replaces the files atomically. Rejects if one of them has changed since it was read. */
  write(changes: readonly ChangedFile[]): Promise<void>;
}
