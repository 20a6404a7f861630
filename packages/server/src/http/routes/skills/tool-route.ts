import { skillContracts, type ToolList } from '@ambit/api';
import { isExecutable, type Skill } from '@ambit/core';
import { isForModels } from '@ambit/core/skill';
import type { FastifyInstance } from 'fastify';
import { hasScope } from '../../../auth/key-rights.ts';
import { findSkills } from '../../../prompts/find-skills.ts';
import { whileSame } from '../../../while-same.ts';
import { type SkillTool, skillTool } from '../../../wire/tool/skill-tool.ts';
import { schemaFlaw } from '../../../wire/tool/tool-schema.ts';
import { answerTagged } from '../../route/answer-entity.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { pageOfSkills } from './skill-page.ts';

/** `GET /tools`: skills as tools of a model, for programs that make the requests to the model themselves. */
export function toolRoute(app: FastifyInstance, accessFor: AccessFor): void {
  const offerOf = toolOffers();

  route(app, skillContracts.listTools, async ({ query }, request, reply) => {
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
    return answerTagged(request, reply, answer);
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
