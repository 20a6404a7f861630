import type { Skill } from './skill.ts';

/** A folder that was meant to be a skill and cannot be used; reported, never fatal. */
export interface BrokenSkill {
  /** The folder's name, which is what a caller would ask for. */
  id: string;
  root: string;
  /** What is wrong and what to do, in one sentence that may be cut short. */
  problem: string;
}

/** The skills there are. */
export interface Catalog {
  /**
   * The skill as its folder is now: an edit shows at the next call. A folder that cannot be used any more is a
   * `BrokenSkill`; `undefined` means that there is no such skill. Never rejects.
   */
  find(id: string): Promise<Skill | BrokenSkill | undefined>;
  /**
   * Every usable skill, by id. A skill is the same object until its folder changes, and the array is the same until a
   * skill does, so that what is derived from it can be kept for as long.
   */
  list(): Promise<readonly Skill[]>;
  /** What cannot be used, and what was not looked into; the same array until that changes. */
  broken(): Promise<readonly BrokenSkill[]>;
}

/** Whether what a catalog has found cannot be used. */
export function isBroken(found: Skill | BrokenSkill): found is BrokenSkill {
  return 'problem' in found;
}
