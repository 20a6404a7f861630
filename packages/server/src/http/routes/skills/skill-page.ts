import type { Skill } from '@ambit/core';
import { z } from 'zod';
import { SkillQuery } from '../../../wire/find-skills.ts';
import { Refusal } from '../../problem/refusal.ts';
import { count } from '../audit/audit-parameters.ts';

/** On one page, and as many folders that cannot be used on the first. */
export const skillsMax = 1000;

/** Which skills, and which page of them. */
export const SkillPageQuery = SkillQuery.extend({
  limit: count(skillsMax, `a page has at most ${skillsMax} skills`)
    .default(skillsMax)
    .describe(`How many on a page; at most ${skillsMax}.`),
  after: z.string().max(300).optional().describe('The `next` of the page before: goes on after that skill.'),
});
type SkillPageQuery = z.output<typeof SkillPageQuery>;

/**
 * The page of the skills that fit `query`, given in their order, and after which skill the next one begins; `null`: this
 * is the last. A list by id goes on also where a skill is gone with which a page ended; a selection, which has an order of
 * its own, throws `REQUEST_INVALID` then.
 */
export function pageOfSkills(
  skills: readonly Skill[],
  { limit, after, phase, agent, tag }: SkillPageQuery,
): { skills: readonly Skill[]; next: string | null } {
  const isById = (phase ?? agent ?? tag) === undefined;
  const from = after === undefined ? 0 : startAfter(after, skills, isById);
  const page = skills.slice(from, from + limit);
  return { skills: page, next: from + limit < skills.length ? (page.at(-1)?.id ?? null) : null };
}

function startAfter(after: string, skills: readonly Skill[], isById: boolean): number {
  const at = skills.findIndex(({ id }) => (isById ? id > after : id === after));
  if (isById) return at === -1 ? skills.length : at;
  if (at !== -1) return at + 1;
  const message = '"after" names no skill of this selection; leave it out to begin again';
  throw new Refusal('REQUEST_INVALID', message, { issues: [{ at: '/after', message }] });
}
