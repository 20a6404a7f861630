import type { CallRecord } from '@ambit/core/audit';
import type { FastifyRequest } from 'fastify';
import type { AccessScope } from '../../../auth/access/access-scope.ts';
import { Refusal } from '../../problem/refusal.ts';
import { methodAndPath, rightsOf } from '../../request-state.ts';

/** The record of an execution that the caller may see; `undefined` where there is none for it. */
export async function recordOf({ audit }: AccessScope, executionId: string): Promise<CallRecord | undefined> {
  const { records } = await audit.query({ executionId, limit: 1 });
  return records[0];
}

/** The refusal of what says something of more than the skills that a key is bound to; `instead` is what it may have. */
export function boundToSkills(request: FastifyRequest, instead: string, about = 'the whole log'): Refusal {
  const { actor, skills = new Set() } = rightsOf(request);
  return new Refusal(
    'SCOPE_MISSING',
    `${methodAndPath(request).slice(0, 200)} is about ${about}, and the key ${actor} is bound to ${[...skills].join(', ').slice(0, 1000)}; it may have ${instead}`,
  );
}
