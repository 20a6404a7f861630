import { type BrokenSkill, isBroken, isExecutable, type Skill, SkillError } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Reach } from '../../auth/reach/reach.ts';
import { parseRequest } from '../door/parse-request.ts';
import type { ReachFor } from './reach-for.ts';
import { type SkillDetail, type SkillSummary, skillDetail, skillSummary } from './skill-view.ts';

const ListQuery = z.strictObject({
  executable: z.enum(['true', 'false']).optional(),
  /** Words, each of which has to stand in the id, the description or a tag; compared without case. */
  q: z.string().max(200).optional(),
  /** Those that a prompt would get for it, dependencies among them. */
  phase: z.string().max(200).optional(),
  agent: z.string().max(200).optional(),
  tag: z.string().max(200).optional(),
});

const Params = z.strictObject({ id: z.string() });
const NoQuery = z.strictObject({});

/** The catalog: `GET /skills`, with what cannot be used under `broken`, and `GET /skills/:id`. */
export function skillRoutes(app: FastifyInstance, reachFor: ReachFor): void {
  app.get('/skills', async (request): Promise<{ skills: SkillSummary[]; broken: readonly BrokenSkill[] }> => {
    const query = parseRequest(ListQuery, request.query);
    const reach = reachFor(request);
    const [skills, broken] = await Promise.all([selected(reach, query), reach.catalog.broken()]);
    return { skills: skills.filter((skill) => fits(skill, query)).map(skillSummary), broken };
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

/** The catalog, or what is selected from it where the query says for what. */
async function selected(
  { catalog, prompts }: Reach,
  { phase, agent, tag }: z.output<typeof ListQuery>,
): Promise<readonly Skill[]> {
  if (phase === undefined && agent === undefined && tag === undefined) return catalog.list();
  const { skills } = await prompts.select({ phase, agent, tags: tag === undefined ? undefined : [tag] });
  return skills.map(({ skill }) => skill);
}

function fits(
  { id, manifest, sidecar, scripts }: Skill,
  { executable, q = '' }: z.output<typeof ListQuery>,
): boolean {
  if (executable !== undefined && isExecutable({ sidecar, scripts }) !== (executable === 'true'))
    return false;
  const text = [id, manifest.description, ...sidecar.tags].join('\n').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
