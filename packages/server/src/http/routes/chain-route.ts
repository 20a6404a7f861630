import { type ChainResult, executeChain } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { rightsOf } from '../request-state.ts';
import { callSignal } from './call-signal.ts';
import { ChainBody } from './execute-body.ts';
import type { ReachFor } from './reach-for.ts';

/**
 * `POST /chain`: skills one after another, output into input. The answer is 200 however the last link ended; `failedAt`
 * says where the chain broke. A link that is refused is the answer's problem; the log has those before it under its
 * `executionId`, as `GET /audit?parentId=…`.
 */
export function chainRoute(app: FastifyInstance, deps: AppDeps, reachFor: ReachFor): void {
  app.post('/chain', async (request, reply): Promise<ChainResult> => {
    const { input, stdin, files, context, workspace, steps } = parseRequest(ChainBody, request.body ?? {});
    const chain = {
      executionId: request.id,
      door: 'http' as const,
      actor: rightsOf(request).actor,
      input: { input, stdin, files },
      context,
      workspace,
      steps: steps.map(({ skill, args, script, ...narrowing }) => ({
        executionId: deps.newExecutionId(),
        skillId: skill,
        args,
        script,
        narrowing,
      })),
    };
    const { execute } = reachFor(request);
    // From here on each link's own record holds whatever happens.
    request.recorded = true;
    const result = await executeChain(execute, chain, callSignal(reply, deps.shutdown));
    request.ended = { outcome: result.outcome.status };
    return result;
  });
}
