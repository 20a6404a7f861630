import type { FastifyInstance } from 'fastify';
import { PromptAnswer, promptAnswer } from '../../wire/answer/prompt.ts';
import { PromptBody } from '../../wire/prompt-body.ts';
import { callSignal } from '../connections/when-closed.ts';
import { json } from '../route/answer.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { defineRoute } from '../route/define-route.ts';
import type { AccessFor } from '../route/request-state.ts';

/**
 * `POST /prompt`: composes a prompt from the skills of a phase or an agent; with `explain`, returns
 * the source of each part.
 */
export function promptRoute(app: FastifyInstance, { shutdown }: AppDeps, accessFor: AccessFor): void {
  defineRoute(app, {
    method: 'POST',
    url: '/prompt',
    scope: 'prompt',
    stepUp: 'none',
    id: 'composePrompt',
    group: 'Prompts',
    summary: 'Compose a prompt',
    description:
      'Selects skills for a phase or an agent and composes a prompt from them. An absent field does not filter.',
    body: PromptBody,
    bodyExample: { phase: 'implement', systemPrompt: 'You are a careful engineer.', explain: true },
    answers: { 200: json('The prompt.', PromptAnswer) },
    problems: ['CAPABILITY_DENIED', 'OVERLOADED'],
    async handle({ body }, request, reply) {
      const { prompts } = accessFor(request);
      return promptAnswer(await prompts.compose(body, callSignal(reply, shutdown)), body);
    },
  });
}
