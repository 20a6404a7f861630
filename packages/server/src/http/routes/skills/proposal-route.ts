import { skillContracts } from '@ambit/api';
import { proposeGrant } from '@ambit/core/policy';
import { usableSkill } from '@ambit/core/skill';
import type { FastifyInstance } from 'fastify';
import { recordsOfSkill } from '../../../propose/records-of-skill.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { timesOf } from '../audit/times-of.ts';

/** `GET /skills/:id/proposal`: the smallest grant that covers what its recorded calls lacked. Changes nothing. */
export function proposalRoute(
  app: FastifyInstance,
  { execute: { now }, places }: AppDeps,
  accessFor: AccessFor,
): void {
  route(app, skillContracts.getProposal, async ({ params: { id }, query }, request) => {
    const { catalog, audit, execute } = accessFor(request);
    const skill = await usableSkill(catalog, id);
    const { records, more } = await recordsOfSkill(audit, {
      skill: skill.id,
      ...timesOf(query, now),
      execution: query.execution,
    });
    return proposeGrant({ skill, records, more, policy: execute.policy, places });
  });
}
