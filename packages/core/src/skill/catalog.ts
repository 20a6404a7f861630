import { SkillError } from '../outcome/skill-error.ts';
import type { Skill } from './skill.ts';

/** A folder that is meant to be a skill and is unusable. It is reported and never fatal. */
export interface BrokenSkill {
  /** The folder's name, by which callers refer to it. */
  id: string;
  root: string;
  /** The problem and its remedy, in one sentence that may be truncated. */
  problem: string;
  /** The code of refused calls. Absent: `SKILL_INVALID`. */
  code?: 'SKILL_AMBIGUOUS' | 'LOCK_MISMATCH' | 'SKILL_REVOKED' | 'STORE_UNAVAILABLE';
}

/** The refusal of a call of an unusable skill. */
export function skillUnusable({ id, problem, code }: BrokenSkill): SkillError {
  return code === undefined
    ? new SkillError('SKILL_INVALID', `${id} cannot be used: ${problem}`)
    : new SkillError(code, code === 'SKILL_AMBIGUOUS' ? problem : `${id} cannot be used: ${problem}`);
}

/** The available skills. */
export interface Catalog {
  /**
   * Reads the skill from its folder, so an edit applies to the next call. Also finds a skill by its
   * name without the namespace, if no other skill has that name, and by its alias; see `skillNamed`. Policy and
   * records are by the `id` of the result. A folder that became
   * unusable is a `BrokenSkill`; `undefined` means that no such skill exists. Never rejects.
   */
  find(id: string): Promise<Skill | BrokenSkill | undefined>;
  /**
   * Every usable skill, by id. A skill is the same object until its folder or what its alias means changes, and the
   * array is the same until a skill does, so derived data can be cached for as long.
   */
  list(): Promise<readonly Skill[]>;
  /**
   * Unusable folders and folders that were not searched. The array is the same until it changes.
   */
  broken(): Promise<readonly BrokenSkill[]>;
}

/** Whether a catalog's result is unusable. */
export function isBroken(found: Skill | BrokenSkill): found is BrokenSkill {
  return 'problem' in found;
}
