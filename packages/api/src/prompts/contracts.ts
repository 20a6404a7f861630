import { json } from '../answer.ts';
import { defineContracts } from '../contract.ts';
import { PromptAnswer } from './prompt-answer.ts';
import { PromptBody } from './prompt-body.ts';

/** Prompts from the skills of a phase or an agent. */
export const promptContracts = defineContracts('Prompts', {
  composePrompt: {
    method: 'POST',
    url: '/prompt',
    scope: 'prompt',
    stepUp: 'none',
    summary: 'Compose a prompt',
    description:
      'Selects skills for a phase or an agent and composes a prompt from them. An absent field does not filter.',
    body: PromptBody,
    bodyExample: { phase: 'implement', systemPrompt: 'You are a careful engineer.', explain: true },
    answers: { 200: json('The prompt.', PromptAnswer) },
    problems: ['CAPABILITY_DENIED', 'OVERLOADED'],
  },
});
