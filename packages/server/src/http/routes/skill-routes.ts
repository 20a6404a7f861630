import { type BrokenSkill, isBroken, SkillError } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findSkills, SkillQuery } from '../../wire/find-skills.ts';
import { parseRequest } from '../door/parse-request.ts';
import type { ReachFor } from './reach-for.ts';
import { type SkillDetail, type SkillSummary, skillDetail, skillSummary } from './skill-view.ts';

const Params = z.strictObject({ id: z.string() });
const NoQuery = z.strictObject({});

/** The catalog: `GET /skills`, with what cannot be used under `broken`, and `GET /skills/:id`. */
export function skillRoutes(app: FastifyInstance, reachFor: ReachFor): void {
  app.get('/skills', async (request): Promise<{ skills: SkillSummary[]; broken: readonly BrokenSkill[] }> => {
    const query = parseRequest(SkillQuery, request.query);
    const { catalog, prompts } = reachFor(request);
    const [skills, broken] = await Promise.all([findSkills(catalog, prompts, query), catalog.broken()]);
    return { skills: skills.map(skillSummary), broken };
  });

  app.get('/skills/:id', async (request): Promise<SkillDetail> => {
    const { id } = parseRequest(Params, request.params);
    parseRequest(NoQuery, request.query);
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
  });
}
