import { executeChain } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { ChainAnswer } from '../../wire/answer/chain.ts';
import type { AppDeps } from '../app-deps.ts';
import { rightsOf } from '../request-state.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';
import { callProblems } from './call-problems.ts';
import { callSignal } from './call-signal.ts';
import { ChainBody } from './execute-body.ts';
import type { ReachFor } from './reach-for.ts';

/**
 * `POST /chain`: skills one after another, output into input. The answer is 200 however the last link ended; `failedAt`
 * says where the chain broke. A link that is refused is the answer's problem; the log has those before it under its
 * `executionId`, as `GET /audit?parentId=…`.
 */
export function chainRoute(app: FastifyInstance, deps: AppDeps, reachFor: ReachFor): void {
  defineRoute(app, {
    method: 'POST',
    url: '/chain',
    scope: 'skills:execute',
    id: 'executeChain',
    group: 'Calls',
    summary: 'Run skills one after another',
    description:
      "Each skill's output is the next one's input. The first that does not succeed ends the chain; `failedAt` says where. A link that is refused is the answer's problem; the log has those before it, as `GET /audit?parentId=…`.",
    body: ChainBody,
    bodyExample: { input: { text: 'mail me at ada@example.org' }, steps: [{ skill: 'text-redact' }] },
    answers: { 200: json('The chain ran, as far as `links` says.', ChainAnswer) },
    problems: callProblems,
    async handle({ body: { input, stdin, files, context, steps } }, request, reply) {
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
      // From here on each link's own record holds whatever happens.
      request.recorded = true;
      const result = await executeChain(execute, chain, callSignal(reply, deps.shutdown));
      request.ended = { outcome: result.outcome.status };
      return result;
    },
  });
}
