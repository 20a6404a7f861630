import { problemMediaType } from '@ambit/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientGone } from '../connections/when-closed.ts';
import { problem } from '../problem/problem.ts';
import { refusalOf } from '../problem/refusal.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { methodAndPath } from '../route/request-state.ts';
import { recordRefusal } from './record-refusal.ts';

/**
 * Fastify's error handler: records the error, unless the request has a record already, and sends a
 * problem.
 */
export function answerRefusal(deps: AppDeps) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { id: executionId, via, actor } = request;
    // Only the log sees this status. 499 is not standard; nginx uses it for a client that
    // disconnected.
    if (error instanceof ClientGone) return reply.code(499).send();
    const thrown = refusalOf(deps, error);
    const refusal = request.recorded
      ? thrown
      : await recordRefusal(deps, { executionId, via, actor, request: methodAndPath(request) }, thrown);
    request.ended = { code: refusal.code, cause: refusal.cause };
    const answer = problem(refusal, executionId);
    return reply.code(answer.status).headers(refusal.headers).type(problemMediaType).send(answer);
  };
}
