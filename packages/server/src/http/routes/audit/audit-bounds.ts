import type { CallRecord } from '@ambit/core/audit';
import type { FastifyRequest } from 'fastify';
import type { AccessScope } from '../../../auth/access/access-scope.ts';
import { Refusal } from '../../../errors/refusal.ts';
import { methodAndPath, rightsOf } from '../../route/request-state.ts';

/** The record of an execution; `undefined` if it does not exist or the caller may not see it. */
export async function recordOf({ audit }: AccessScope, executionId: string): Promise<CallRecord | undefined> {
  const { records } = await audit.query({ executionId, limit: 1 });
  return records[0];
}

/**
 * A refusal for a key bound to skills that asks about more than these. `instead` is what it may
 * read.
 */
export function boundToSkills(request: FastifyRequest, instead: string, about = 'the whole log'): Refusal {
  const { actor, skills = new Set() } = rightsOf(request);
  return new Refusal(
    'SCOPE_MISSING',
    `${methodAndPath(request).slice(0, 200)} covers ${about}, but the key ${actor} is bound to ${[...skills].join(', ').slice(0, 1000)}; it may read ${instead}`,
  );
}
