import { Proposal, proposeGrant } from '@ambit/core/policy';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { recordsOfSkill } from '../../../propose/records-of-skill.ts';
import { json } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { timeParameter, timeWords } from '../audit/audit-parameters.ts';
import { foundSkill, skillProblems } from './found-skill.ts';
import { SkillParams } from './skill-routes.ts';

/** `GET /skills/:id/proposal`: the smallest grant that covers what its recorded calls lacked. Changes nothing. */
export function proposalRoute(
  app: FastifyInstance,
  { execute: { now }, places }: AppDeps,
  accessFor: AccessFor,
): void {
  defineRoute(app, {
    method: 'GET',
    url: '/skills/:id/proposal',
    scope: 'audit:read',
    id: 'getProposal',
    group: 'Skills',
    summary: 'Propose a grant',
    description:
      'The smallest change of the configuration, and of the request of the skill, that covers what its latest recorded calls lacked. Every item is a decision for the operator: a skill can cause refusals on purpose. Broad items are listed last, and `grant` and `requests` leave them out. Changes nothing.',
    params: SkillParams,
    query: z.strictObject({
      since: timeParameter(now).exactOptional().describe(`Calls since then. ${timeWords}`),
      execution: z.string().max(100).exactOptional().describe('Only this call, such as a trial.'),
    }),
    answers: { 200: json('The proposal.', Proposal) },
    problems: skillProblems,
    async handle({ params: { id }, query: { since, execution } }, request) {
      const { catalog, audit, execute } = accessFor(request);
      const skill = await foundSkill(catalog, id);
      const { records, more } = await recordsOfSkill(audit, { skill: skill.id, since, execution });
      return proposeGrant({ skill, records, more, policy: execute.policy, places });
    },
  });
}
