import { callContracts } from '@ambit/api';
import { executeChain } from '@ambit/core/execute';
import type { FastifyInstance } from 'fastify';
import { givenInput } from '../../../wire/given-input.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { answerCall } from './answer/answer-call.ts';
import { chainObservers } from './call-observers.ts';

/**
 * `POST /chain`: skills one after another, output into input. The response is 200 for any outcome of the
 * last link; `failedAt` names the link that failed. If a link is refused, the response is its problem; the
 * log has the links before it: `GET /audit?parentId=…`.
 */
export function chainRoute(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  route(
    app,
    callContracts.executeChain,
    async ({ body: { input, context, workspace, steps, ...given } }, request, reply) => {
      const chain = {
        executionId: request.id,
        via: request.via,
        actor: rightsOf(request).actor,
        input: { input, ...givenInput(given) },
        context,
        workspace,
        steps: steps.map(({ skill, args, script, command, ...narrowing }) => ({
          executionId: deps.newExecutionId(),
          skillId: skill,
          args,
          script,
          command,
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
  );
}
