import type { CallRecord } from '@ambit/core';
import type { FastifyRequest } from 'fastify';
import type { EmitEvent } from '../../jobs/job.ts';
import type { JobResponse } from '../../jobs/job-response.ts';
import type { AppDeps } from '../app-deps.ts';
import type { ProblemCode } from '../problem/answers.ts';
import { problem } from '../problem/problem.ts';
import { refusalOf } from '../problem/refusal-of.ts';

/** Runs what a request asks for. Resolves to its answer and how it ended; rejects with what it is refused for. */
export type RunCall = (
  signal: AbortSignal,
  emit: EmitEvent | undefined,
) => Promise<{ answer: object; outcome: CallRecord['outcome'] }>;

/** Runs it to its end, whatever that is. How it ended is set on the request, for its line in the log. */
export async function endingOf(
  deps: AppDeps,
  request: FastifyRequest,
  run: RunCall,
  signal: AbortSignal,
  emit: EmitEvent | undefined,
): Promise<JobResponse> {
  const told = new Set<string>();
  const note: EmitEvent | undefined =
    emit &&
    ((name, data) => {
      told.add(name);
      emit(name, data);
    });
  try {
    const { answer, outcome } = await run(signal, note);
    request.ended = { outcome };
    const body = await deps.json.write(answer);
    return { kind: 'result', status: 200, headers: {}, body, outcome, ran: told.has('started') };
  } catch (error) {
    const refusal = refusalOf(deps, error);
    request.ended = { code: refusal.code, cause: refusal.cause };
    const answer = problem(refusal, request.id);
    const body = await deps.json.write(answer);
    return {
      ...{ kind: 'problem', status: answer.status, headers: refusal.headers, body },
      outcome: refusal.code,
      // Whoever could not be started has not run; a link of a chain that ended has, whatever became of the next.
      ran: told.has('link') || (told.has('started') && mayHaveRun.has(refusal.code)),
    };
  }
}

const mayHaveRun: ReadonlySet<ProblemCode> = new Set(['AUDIT_UNAVAILABLE', 'INTERNAL', 'SHUTTING_DOWN']);
