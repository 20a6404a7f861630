import { skillContracts, skillsMax } from '@ambit/api';
import { limitRangeOf } from '@ambit/core/policy';
import { usableSkill } from '@ambit/core/skill';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasScope } from '../../../auth/key-rights.ts';
import { findSkills } from '../../../prompts/find-skills.ts';
import { skillDetail, skillSummary } from '../../../wire/skill-view.ts';
import { answerTagged } from '../../route/answer-entity.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { folderOf, operatorView } from './operator-view.ts';
import { pageOfSkills } from './skill-page.ts';

/** The catalog: `GET /skills`, with unusable folders under `broken`, and `GET /skills/:id`. */
export function skillRoutes(app: FastifyInstance, accessFor: AccessFor): void {
  const viewOf = operatorView();

  route(app, skillContracts.listSkills, async ({ query }, request, reply) => {
    const { catalog, prompts } = accessFor(request);
    const [found, broken] = await Promise.all([findSkills(catalog, prompts, query), catalog.broken()]);
    const { skills, next } = pageOfSkills(found, query);
    const seesFolders = isOperator(request);
    return answerTagged(request, reply, {
      skills: skills.map((skill) =>
        seesFolders ? { ...skillSummary(skill), ...folderOf(skill) } : skillSummary(skill),
      ),
      broken: query.after === undefined ? broken.slice(0, skillsMax) : [],
      brokenCount: broken.length,
      next,
    });
  });

  route(app, skillContracts.getSkill, async ({ params: { id } }, request, reply) => {
    const { catalog, execute } = accessFor(request);
    const skill = await usableSkill(catalog, id);
    const { policy, ceiling } = execute;
    const detail = skillDetail(skill, (run) => limitRangeOf(policy, skill, run, ceiling?.limits));
    return answerTagged(request, reply, isOperator(request) ? await viewOf(skill, detail) : detail);
  });
}

/** Callers who may see the folders and programs of the daemon's machine. */
function isOperator(request: FastifyRequest): boolean {
  return hasScope(rightsOf(request), 'admin');
}
