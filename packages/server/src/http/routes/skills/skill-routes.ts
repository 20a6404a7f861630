import { type SkillList, skillContracts, skillsMax } from '@ambit/api';
import type { Skill } from '@ambit/core';
import type { ExecuteDeps } from '@ambit/core/execute';
import { limitRangeOf } from '@ambit/core/policy';
import type { FastifyInstance } from 'fastify';
import { findSkills } from '../../../prompts/find-skills.ts';
import { skillDetail, skillSummary } from '../../../wire/skill-view.ts';
import { answerEntity, cachedEtags, etagOf, jsonBody } from '../../route/answer-entity.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { foundSkill } from './found-skill.ts';
import { pageOfSkills } from './skill-page.ts';

/** The catalog: `GET /skills`, with unusable folders under `broken`, and `GET /skills/:id`. */
export function skillRoutes(app: FastifyInstance, accessFor: AccessFor): void {
  const details = detailsByCaller();

  route(app, skillContracts.listSkills, async ({ query }, request, reply) => {
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
  });

  route(app, skillContracts.getSkill, async ({ params: { id } }, request, reply) => {
    const { catalog, execute } = accessFor(request);
    const skill = await foundSkill(catalog, id);
    const { textOf, etagOf: tagOf } = details(execute);
    const entity = { etag: tagOf(skill), cacheControl: 'private, no-cache' } as const;
    return answerEntity(request, reply, entity, () => jsonBody(textOf(skill)));
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
