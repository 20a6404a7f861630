import { executeChain } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../app-deps.ts';
import { answerCall } from '../calls/answer-call.ts';
import { tellingChain } from '../calls/telling.ts';
import { parseRequest } from '../door/parse-request.ts';
import { rightsOf } from '../request-state.ts';
import { ChainBody } from './execute-body.ts';
import type { ReachFor } from './reach-for.ts';

/**
 * `POST /chain`: skills one after another, output into input. The answer is 200 however the last link ended; `failedAt`
 * says where the chain broke. A link that is refused is the answer's problem; the log has those before it under its
 * `executionId`, as `GET /audit?parentId=…`.
 */
export function chainRoute(app: FastifyInstance, deps: AppDeps, reachFor: ReachFor): void {
  app.post('/chain', async (request, reply) => {
    const { input, stdin, files, context, steps } = parseRequest(ChainBody, request.body ?? {});
    const chain = {
      executionId: request.id,
      door: 'http' as const,
      actor: rightsOf(request).actor,
      input: { input, stdin, files },
      context,
      steps: steps.map(({ skill, args, script, ...narrowing }) => ({
        executionId: deps.newExecutionId(),
        skillId: skill,
        args,
        script,
        narrowing,
      })),
    };
    const { execute } = reachFor(request);
    return answerCall(deps, request, reply, {
      skillId: null,
      run: (signal, tell) => executeChain(execute, { ...chain, ...tellingChain(tell) }, signal),
    });
  });
}
