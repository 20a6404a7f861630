import { executeSkill, executeWithReceipt } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { executeAnswer } from '../../wire/execute-answer.ts';
import type { AppDeps } from '../app-deps.ts';
import { answerCall } from '../calls/answer-call.ts';
import { tellingCall } from '../calls/telling.ts';
import { parseRequest } from '../door/parse-request.ts';
import { rightsOf } from '../request-state.ts';
import { ExecuteBody } from './execute-body.ts';
import type { ReachFor } from './reach-for.ts';

const Params = z.strictObject({ id: z.string() });

/**
 * `POST /skills/:id/execute`. Whatever way the run ends, the answer is 200 and its `outcome.status` says which: a status
 * of another kind means that nothing ran, or that nothing may be known of it.
 */
export function executeRoute(app: FastifyInstance, deps: AppDeps, reachFor: ReachFor): void {
  app.post('/skills/:id/execute', async (request, reply) => {
    const { id: skillId } = parseRequest(Params, request.params);
    const { input, args, stdin, script, files, context, receipt, ...narrowing } = parseRequest(
      ExecuteBody,
      request.body === undefined ? {} : request.body,
    );
    const call = {
      executionId: request.id,
      skillId,
      door: 'http' as const,
      actor: rightsOf(request).actor,
      input: { input, args, stdin, script, files, context },
      narrowing,
    };
    const { execute } = reachFor(request);
    return answerCall(deps, request, reply, {
      skillId,
      async run(signal, tell) {
        const watched = { ...call, ...tellingCall(tell) };
        return executeAnswer(
          receipt
            ? await executeWithReceipt(execute, deps.proofs.receipt, watched, signal)
            : await executeSkill(execute, watched, signal),
        );
      },
    });
  });
}
