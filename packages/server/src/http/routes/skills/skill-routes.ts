import type { Skill } from '@ambit/core';
import type { ExecuteDeps } from '@ambit/core/execute';
import { limitRangeOf } from '@ambit/core/policy';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findSkills } from '../../../prompts/find-skills.ts';
import { SkillDetail, SkillList } from '../../../wire/answer/skill.ts';
import { skillDetail, skillSummary } from '../../../wire/skill-view.ts';
import { bare, json } from '../../route/answer.ts';
import {
  answerEntity,
  cachedEtags,
  EntityHeaders,
  etagOf,
  jsonBody,
  tagged,
} from '../../route/answer-entity.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { foundSkill, skillProblems } from './found-skill.ts';
import { pageOfSkills, SkillPageQuery, skillsMax } from './skill-page.ts';

/** Path parameters of routes about one skill. */
export const SkillParams = z.strictObject({ id: z.string().describe("The skill's id.") });

/** The catalog: `GET /skills`, with unusable folders under `broken`, and `GET /skills/:id`. */
export function skillRoutes(app: FastifyInstance, accessFor: AccessFor): void {
  const details = detailsByCaller();

  defineRoute(app, {
    method: 'GET',
    url: '/skills',
    head: true,
    scope: 'skills:read',
    id: 'listSkills',
    group: 'Skills',
    summary: 'List skills',
    description:
      'Every skill that the key may see, by id, and unusable folders under `broken`. `phase`, `agent` and `tag` select the skills that a prompt would get, in its order.',
    query: SkillPageQuery,
    headers: EntityHeaders,
    answers: {
      200: json('The matching skills.', SkillList, {
        ...tagged,
        example: { skills: [], broken: [], brokenCount: 0, next: null },
      }),
      304: bare('Not modified.', tagged),
    },
    problems: [],
    async handle({ query }, request, reply) {
      const { catalog, prompts } = accessFor(request);
      const [found, broken] = await Promise.all([findSkills(catalog, prompts, query), catalog.broken()]);
      const { skills, next } = pageOfSkills(found, query);
      const answer: SkillList = {
        skills: skills.map(skillSummary),
        broken: query.after === undefined ? broken.slice(0, skillsMax) : [],
        brokenCount: broken.length,
        next,
      };
      const text = JSON.stringify(answer);
      const entity = { etag: etagOf(text), cacheControl: 'private, no-cache' } as const;
      return answerEntity(request, reply, entity, () => jsonBody(text));
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/skills/:id',
    head: true,
    scope: 'skills:read',
    id: 'getSkill',
    group: 'Skills',
    summary: 'Get a skill',
    description: 'A skill with its files, its scripts and how to call it.',
    params: SkillParams,
    headers: EntityHeaders,
    answers: { 200: json('The skill.', SkillDetail, tagged), 304: bare('Not modified.', tagged) },
    problems: skillProblems,
    async handle({ params: { id } }, request, reply) {
      const { catalog, execute } = accessFor(request);
      const skill = await foundSkill(catalog, id);
      const { textOf, etagOf: tagOf } = details(execute);
      const entity = { etag: tagOf(skill), cacheControl: 'private, no-cache' } as const;
      return answerEntity(request, reply, entity, () => jsonBody(textOf(skill)));
    },
  });
}

/** A skill as JSON, and its tag. Both depend on the configuration and the key too, which decide about the limits. */
interface Details {
  textOf(skill: Skill): string;
  etagOf(skill: Skill): string;
}

/** Made once for the calls of a key under a configuration. */
function detailsByCaller(): (execute: ExecuteDeps) => Details {
  const made = new WeakMap<ExecuteDeps, Details>();
  return (execute) => {
    const known = made.get(execute);
    if (known !== undefined) return known;
    const { policy, ceiling } = execute;
    const textOf = (skill: Skill): string =>
      JSON.stringify(skillDetail(skill, (run) => limitRangeOf(policy, skill, run, ceiling?.limits)));
    const details = { textOf, etagOf: cachedEtags(textOf) };
    made.set(execute, details);
    return details;
  };
}
