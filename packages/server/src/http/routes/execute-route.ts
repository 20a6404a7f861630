import { executeSkill, executeWithReceipt } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type ExecuteAnswer, executeAnswer } from '../../wire/execute-answer.ts';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { rightsOf } from '../request-state.ts';
import { callOf } from './call-of.ts';
import { callSignal } from './call-signal.ts';
import { ExecuteBody } from './execute-body.ts';
import type { ReachFor } from './reach-for.ts';

const Params = z.strictObject({ id: z.string() });

/**
 * `POST /skills/:id/execute`. Whatever way the run ends, the answer is 200 and its `outcome.status` says which: a status
 * of another kind means that nothing ran, or that nothing may be known of it.
 */
export function executeRoute(app: FastifyInstance, deps: AppDeps, reachFor: ReachFor): void {
  app.post('/skills/:id/execute', async (request, reply): Promise<ExecuteAnswer> => {
    const { id: skillId } = parseRequest(Params, request.params);
    const { receipt, ...body } = parseRequest(ExecuteBody, request.body === undefined ? {} : request.body);
    const { call: asked, hasContents } = callOf(body);
    const { actor } = rightsOf(request);
    const call = { ...asked, executionId: request.id, skillId, door: 'http' as const, actor };
    const { execute } = reachFor(request);
    // From here on the call's own record holds whatever happens.
    request.recorded = true;
    const signal = callSignal(reply, deps.shutdown);
    const result = receipt
      ? await executeWithReceipt(execute, deps.proofs.receipt, call, signal)
      : await executeSkill(execute, call, signal);
    request.ended = { outcome: result.outcome.status };
    return executeAnswer(result, { hasContents });
  });
}
