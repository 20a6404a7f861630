import { executeSkill, executeWithReceipt } from '@ambit/core/execute';
import { usedNothing } from '@ambit/core/outcome';
import type { FastifyInstance } from 'fastify';
import { ExecuteAnswer, writableAnswer } from '../../../wire/answer/execute.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { SkillParams } from '../skills/skill-routes.ts';
import { answerCall } from './answer/answer-call.ts';
import { callOf, ExecuteBody } from './call-bodies.ts';
import { beginProblems, CallHeaders, callAnswers } from './call-contract.ts';
import { callObservers } from './call-observers.ts';

/**
 * `POST /skills/:id/execute`. The response is 200 for every end of a run, and `outcome.status` says which.
 * Another status means that nothing ran, or that the result must not be returned.
 */
export function executeRoute(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  defineRoute(app, {
    method: 'POST',
    url: '/skills/:id/execute',
    scope: 'skills:execute',
    id: 'executeSkill',
    group: 'Calls',
    summary: 'Run a skill',
    description:
      'Runs a skill and responds when it has ended, with 200 for any outcome. Another status means that nothing ran. A client that disconnects cancels its call, unless the call is asynchronous or has an idempotency key.',
    params: SkillParams,
    headers: CallHeaders,
    body: ExecuteBody,
    bodyExample: { input: { text: 'mail me at ada@example.org' } },
    answers: callAnswers('The call ran.', ExecuteAnswer, answerExample),
    problems: beginProblems,
    async handle({ params: { id }, body }, request, reply) {
      const { receipt, ...asked } = body;
      const { call: given, hasContents } = callOf(asked);
      const { actor } = rightsOf(request);
      const { execute } = accessFor(request);
      // The caller may have used the alias, or left out the namespace. Everything from here on is by id.
      const skillId = (await execute.catalog.find(id))?.id ?? id;
      const call = { ...given, executionId: request.id, skillId, via: 'http' as const, actor };
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
    },
  });
}

const answerExample = {
  executionId: '01a12b6f-7c3e-7a51-9d02-4f3c8d5b6e70',
  outcome: { status: 'succeeded', output: { text: 'mail me at [redacted-email]', total: 1 } },
  usage: { durationMs: 16.2, queueMs: 0.1, cpuMs: 14.7, memoryPeakBytes: 65_892, fuelConsumed: 42_527 },
  used: usedNothing,
  log: '',
  audit: { sequence: 5, hash: `sha256:${'0'.repeat(64)}` },
};
