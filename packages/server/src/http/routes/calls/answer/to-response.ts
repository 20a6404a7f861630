import { type ProblemCode, problemMediaType } from '@ambit/api';
import type { CallRecord } from '@ambit/core/audit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EmitEvent, OpenJob } from '../../../../jobs/job.ts';
import type { JobResponse } from '../../../../jobs/job-response.ts';
import { problem } from '../../../problem/problem.ts';
import { refusalOf } from '../../../problem/refusal.ts';
import type { AppDeps } from '../../../route/app-deps.ts';
import { eventBytes } from '../../../stream/follow-events.ts';

/** The answer of a call, chain or batch, and how it ended. */
export interface CallResult {
  answer: object;
  outcome: CallRecord['outcome'];
}

/** Runs the call of a request. Rejects with the reason for a refusal. */
export type RunCall = (signal: AbortSignal, emit: EmitEvent) => Promise<CallResult>;

/**
 * The response to a running call, once it has ended; never rejects. `emitted` has the names of its events
 * so far. Sets the outcome on the request, for the request log.
 */
export async function toResponse(
  deps: AppDeps,
  request: FastifyRequest,
  running: Promise<CallResult>,
  emitted: OpenJob['emitted'],
): Promise<JobResponse> {
  try {
    const { answer, outcome } = await running;
    request.ended = { outcome };
    const body = await deps.json.write(answer);
    return { kind: 'result', status: 200, headers: {}, body, outcome, ran: emitted.has('started') };
  } catch (error) {
    const refusal = refusalOf(deps, error);
    request.ended = { code: refusal.code, cause: refusal.cause };
    const answer = problem(refusal, request.id);
    const body = await deps.json.write(answer);
    return {
      kind: 'problem',
      status: answer.status,
      headers: refusal.headers,
      body,
      outcome: refusal.code,
      // A refused call has not run. In a chain, the links before the refused one have.
      ran: emitted.has('link') || (emitted.has('started') && mayHaveRun.has(refusal.code)),
    };
  }
}

const mayHaveRun: ReadonlySet<ProblemCode> = new Set([
  'AUDIT_UNAVAILABLE',
  'INTERNAL',
  'SHUTTING_DOWN',
  'STORE_UNAVAILABLE',
]);

/** Sends the bytes of a response. With `asEvent`, sends them as the only event of a stream. */
export function sendResponse(
  reply: FastifyReply,
  { kind, status, headers, body, isUnstored }: JobResponse,
  asEvent: boolean,
): FastifyReply {
  if (asEvent)
    return reply.type('text/event-stream').send(eventBytes({ id: 1, name: kind, data: body.bytes }));
  if (isUnstored) reply.header('idempotency-stored', 'false');
  const type = kind === 'result' ? 'application/json; charset=utf-8' : `${problemMediaType}; charset=utf-8`;
  return reply.code(status).headers(headers).type(type).send(body.bytes);
}
