import type { FastifyInstance } from 'fastify';
import { type PromptAnswer, promptAnswer } from '../../wire/prompt-answer.ts';
import { PromptBody } from '../../wire/prompt-body.ts';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { callSignal } from './call-signal.ts';
import type { ReachFor } from './reach-for.ts';

/** `POST /prompt`: the skills of a phase or an agent, put into a prompt; with `explain`, also where each part is from. */
export function promptRoute(app: FastifyInstance, { shutdown }: AppDeps, reachFor: ReachFor): void {
  app.post('/prompt', async (request, reply): Promise<PromptAnswer> => {
    const asked = parseRequest(PromptBody, request.body ?? {});
    return promptAnswer(await reachFor(request).prompts.compose(asked, callSignal(reply, shutdown)), asked);
  });
}
