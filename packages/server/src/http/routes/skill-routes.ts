import { isBroken, SkillError } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SkillDetail, SkillList } from '../../wire/answer/skill.ts';
import { findSkills, SkillQuery } from '../../wire/find-skills.ts';
import { skillDetail, skillSummary } from '../../wire/skill-view.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';
import type { ReachFor } from './reach-for.ts';

/** The path of whatever is about one skill. */
export const SkillParams = z.strictObject({ id: z.string().describe("The skill's id.") });

/** The catalog: `GET /skills`, with what cannot be used under `broken`, and `GET /skills/:id`. */
export function skillRoutes(app: FastifyInstance, reachFor: ReachFor): void {
  defineRoute(app, {
    method: 'GET',
    url: '/skills',
    scope: 'skills:read',
    id: 'listSkills',
    group: 'Skills',
    summary: 'The skills there are',
    description:
      'Every skill that the key may see, and the folders that cannot be used under `broken`. With `phase`, `agent` or `tag`, those that a prompt would get for it, in its order.',
    query: SkillQuery,
    answers: { 200: json('The skills that fit.', SkillList, { example: { skills: [], broken: [] } }) },
    problems: ['SKILL_CYCLE'],
    async handle({ query }, request) {
      const { catalog, prompts } = reachFor(request);
      const [skills, broken] = await Promise.all([findSkills(catalog, prompts, query), catalog.broken()]);
      return { skills: skills.map(skillSummary), broken };
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/skills/:id',
    scope: 'skills:read',
    id: 'getSkill',
    group: 'Skills',
    summary: 'One skill',
    description: 'A skill with its files, its scripts and how it is called.',
    params: SkillParams,
    answers: { 200: json('The skill.', SkillDetail) },
    problems: ['SKILL_NOT_FOUND', 'SKILL_INVALID'],
    async handle({ params: { id } }, request) {
      const found = await reachFor(request).catalog.find(id);
      if (found === undefined) {
        throw new SkillError(
          'SKILL_NOT_FOUND',
          `there is no skill ${JSON.stringify(id.slice(0, 200))}; GET /skills shows those there are`,
        );
      }
      if (isBroken(found))
        throw new SkillError('SKILL_INVALID', `${found.id} cannot be used: ${found.problem}`);
      return skillDetail(found);
    },
  });
}
