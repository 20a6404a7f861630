import { isExecutable, type Skill } from '@ambit/core';
import { isForModels } from '@ambit/core/skill';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { hasScope } from '../../../auth/key-rights.ts';
import { findSkills } from '../../../prompts/find-skills.ts';
import { whileSame } from '../../../while-same.ts';
import { ToolList } from '../../../wire/answer/tool.ts';
import { type SkillTool, skillTool } from '../../../wire/tool/skill-tool.ts';
import { schemaFlaw } from '../../../wire/tool/tool-schema.ts';
import { bare, json } from '../../route/answer.ts';
import { answerEntity, EntityHeaders, etagOf, jsonBody, tagged } from '../../route/answer-entity.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { pageOfSkills, SkillPageQuery } from './skill-page.ts';

const ToolQuery = SkillPageQuery.omit({ executable: true }).extend({
  untrusted: z
    .enum(['true', 'false'])
    .meta({ type: 'boolean' })
    .default('false')
    .describe('Whether to include untrusted skills. A model chooses among tools by their own descriptions.'),
});

/** `GET /tools`: skills as tools of a model, for programs that make the requests to the model themselves. */
export function toolRoute(app: FastifyInstance, accessFor: AccessFor): void {
  const offerOf = toolOffers();

  defineRoute(app, {
    method: 'GET',
    url: '/tools',
    head: true,
    scope: 'skills:read',
    id: 'listTools',
    group: 'Skills',
    summary: 'List skills as tools',
    description:
      'Each executable skill that the key may see, as the definition of a tool: name, description and schema are safe for a model to read. The filters are `q`, `phase`, `agent` and `tag`, as in `GET /skills`, and `untrusted`.',
    query: ToolQuery,
    headers: EntityHeaders,
    answers: {
      200: json('The tools.', ToolList, { ...tagged, example: { tools: [], leftOut: [], next: null } }),
      304: bare('Not modified.', tagged),
    },
    problems: [],
    async handle({ query }, request, reply) {
      const { catalog, prompts } = accessFor(request);
      const { untrusted, ...filter } = query;
      const mayExecute = hasScope(rightsOf(request), 'skills:execute');
      const found = (await findSkills(catalog, prompts, filter)).filter(isExecutable);
      const { skills, next } = pageOfSkills(found, filter);
      const offers = skills.map((skill) => ({
        skill: skill.id,
        offer: mayExecute
          ? offerOf(skill, { untrusted: untrusted === 'true' })
          : { why: 'this key lacks the scope skills:execute' },
      }));
      const answer: ToolList = {
        tools: offers.flatMap(({ offer }) => ('tool' in offer ? [offer.tool] : [])),
        leftOut: offers.flatMap(({ skill, offer }) => ('why' in offer ? [{ skill, why: offer.why }] : [])),
        next,
      };
      const text = JSON.stringify(answer);
      const entity = { etag: etagOf(text), cacheControl: 'private, no-cache' } as const;
      return answerEntity(request, reply, entity, () => jsonBody(text));
    },
  });
}

/** A skill as a tool, or why models are not offered it. */
type Offer = { tool: SkillTool } | { why: string };

/**
 * Skills as tools, cached per skill object. A model chooses a tool by its own description, so untrusted skills are
 * offered only on request.
 */
function toolOffers(): (skill: Skill, options: { untrusted: boolean }) => Offer {
  const cached = whileSame(offerOf);
  return (skill, { untrusted }) => {
    if (!isForModels(skill)) return { why: 'its author hides it from models' };
    if (skill.tier === 'untrusted' && !untrusted)
      return { why: 'it is untrusted; ask with untrusted=true to include it' };
    return cached(skill);
  };
}

function offerOf(skill: Skill): Offer {
  const flaw = schemaFlaw(skill);
  if (flaw !== undefined) return { why: `models must not see its schemas: ${flaw}` };
  const tool = skillTool(skill);
  if (tool !== undefined) return { tool };
  return { why: 'it has several runs, and none that takes arguments; call it with "script"' };
}
