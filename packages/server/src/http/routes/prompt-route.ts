import { promptContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import { promptAnswer } from '../../wire/answer/prompt.ts';
import { callSignal } from '../connections/when-closed.ts';
import type { AppDeps } from '../route/app-deps.ts';
import type { AccessFor } from '../route/request-state.ts';
import { route } from '../route/route.ts';

/**
 * `POST /prompt`: composes a prompt from the skills of a phase or an agent; with `explain`, returns
 * the source of each part.
 */
export function promptRoute(app: FastifyInstance, { shutdown }: AppDeps, accessFor: AccessFor): void {
  route(app, promptContracts.composePrompt, async ({ body }, request, reply) => {
    const { prompts } = accessFor(request);
    const composed = await prompts.compose(body, callSignal(reply, shutdown), request.via === 'cli');
    return promptAnswer(composed, body);
  });
}
