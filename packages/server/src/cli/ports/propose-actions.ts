import type { Skill } from '@ambit/core';
import type { Proposal } from '@ambit/core/policy';
import type { Config } from '../../config/config.ts';
import type { ChangedFile } from '../../propose/changed-files.ts';

/** A proposal, and the files that it changes on this machine. */
export interface LocalProposal {
  skill: Skill;
  proposal: Proposal;
  changes: readonly ChangedFile[];
  /** The changes left to its author: the files of an installed skill are not changed here. */
  upstream: readonly ChangedFile[];
  /** The requests that would still lack a grant: calls are refused until it is granted or no longer requested. */
  unmet: readonly string[];
}

/** The actions of `ambit skills propose`. */
export interface ProposeActions {
  /**
   * Reads the records of a skill from the daemon's log, or from the log on disk. `since` is in milliseconds since the epoch;
   * `execution` reads the record of one call.
   * Rejects with `SKILL_NOT_FOUND`, and for a skill that cannot be used.
   */
  propose(
    config: Config,
    skillId: string,
    options: { since: number | undefined; execution: string | undefined; broad: boolean },
  ): Promise<LocalProposal>;
  /** Replaces the files atomically. Rejects if one of them has changed since it was read. */
  write(changes: readonly ChangedFile[]): Promise<void>;
}
