import { callContracts } from '@ambit/api';
import { executeSkill, executeWithReceipt } from '@ambit/core/execute';
import type { FastifyInstance } from 'fastify';
import { writableAnswer } from '../../../wire/answer/execute.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { answerCall } from './answer/answer-call.ts';
import { callObservers } from './call-observers.ts';
import { callOf } from './call-of.ts';

/**
 * `POST /skills/:id/execute`. The response is 200 for every end of a run, and `outcome.status` says which.
 * Another status means that nothing ran, or that the result must not be returned.
 */
export function executeRoute(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  route(app, callContracts.executeSkill, async ({ params: { id }, body }, request, reply) => {
    const { receipt, ...asked } = body;
    const { call: given, hasContents } = callOf(asked);
    const { actor } = rightsOf(request);
    const { execute } = accessFor(request);
    // The caller may have used the alias, or left out the namespace. Everything from here on is by id.
    const skillId = (await execute.catalog.find(id))?.id ?? id;
    const call = { ...given, executionId: request.id, skillId, via: request.via, actor };
    return answerCall(deps, request, reply, {
      skillId,
      async run(signal, emit) {
        const watched = { ...call, ...callObservers(emit) };
        const result = receipt
          ? await executeWithReceipt(execute, deps.proofs.receipt, watched, signal)
          : await executeSkill(execute, watched, signal);
        const answer = await writableAnswer(deps.json, result, { hasContents });
        return { answer, outcome: result.outcome.status };
      },
    });
  });
}
