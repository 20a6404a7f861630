import type { FastifyInstance } from 'fastify';
import { PromptAnswer, promptAnswer } from '../../wire/answer/prompt-answer.ts';
import { PromptBody } from '../../wire/prompt-body.ts';
import type { AppDeps } from '../app-deps.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';
import type { AccessFor } from './access-for.ts';
import { callSignal } from './calls/call-signal.ts';

/** `POST /prompt`: the skills of a phase or an agent, put into a prompt; with `explain`, also where each part is from. */
export function promptRoute(app: FastifyInstance, { shutdown }: AppDeps, reachFor: AccessFor): void {
  defineRoute(app, {
    method: 'POST',
    url: '/prompt',
    scope: 'prompt',
    id: 'composePrompt',
    group: 'Prompts',
    summary: 'Put skills into a prompt',
    description:
      'Selects skills for a phase or an agent and puts them into a prompt. What is absent does not narrow.',
    body: PromptBody,
    bodyExample: { phase: 'implement', systemPrompt: 'You are a careful engineer.', explain: true },
    answers: { 200: json('The prompt.', PromptAnswer) },
    problems: ['SKILL_CYCLE', 'CAPABILITY_DENIED', 'OVERLOADED'],
    async handle({ body }, request, reply) {
      const { prompts } = reachFor(request);
      return promptAnswer(await prompts.compose(body, callSignal(reply, shutdown)), body);
    },
  });
}
