import type { Skill } from '@ambit/core';

/** A skill's tier for programs, in the `_meta` of every list entry for the skill. */
export function tierMeta({ tier }: Pick<Skill, 'tier'>): { 'ambit/tier': Skill['tier'] } {
  return { 'ambit/tier': tier };
}
