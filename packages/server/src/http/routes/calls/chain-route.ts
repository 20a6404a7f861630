import { ChainResult, executeChain } from '@ambit/core/internal';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../../app-deps.ts';
import { answerCall } from '../../calls/answer-call.ts';
import { beginProblems, CallHeaders, callAnswers } from '../../calls/call-contract.ts';
import { chainObservers } from '../../calls/observers.ts';
import { rightsOf } from '../../request-state.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../access-for.ts';
import { ChainBody } from './execute-body.ts';

/**
 * `POST /chain`: skills one after another, output into input. The answer is 200 however the last link ended; `failedAt`
 * says where the chain broke. A link that is refused is the answer's problem; the log has those before it under its
 * `executionId`, as `GET /audit?parentId=…`.
 */
export function chainRoute(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  defineRoute(app, {
    method: 'POST',
    url: '/chain',
    scope: 'skills:execute',
    id: 'executeChain',
    group: 'Calls',
    summary: 'Run skills one after another',
    description:
      "Each skill's output is the next one's input. The first that does not succeed ends the chain; `failedAt` says where. A link that is refused is the answer's problem; the log has those before it, as `GET /audit?parentId=…`.",
    headers: CallHeaders,
    body: ChainBody,
    bodyExample: { input: { text: 'mail me at ada@example.org' }, steps: [{ skill: 'text-redact' }] },
    answers: callAnswers('The chain ran, as far as `links` says.', ChainResult),
    problems: beginProblems,
    async handle({ body: { input, stdin, files, context, workspace, steps } }, request, reply) {
      const chain = {
        executionId: request.id,
        via: 'http' as const,
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
      const { execute } = accessFor(request);
      return answerCall(deps, request, reply, {
        skillId: null,
        async run(signal, emit) {
          const answer = await executeChain(execute, { ...chain, ...chainObservers(emit) }, signal);
          return { answer, outcome: answer.outcome.status };
        },
      });
    },
  });
}
