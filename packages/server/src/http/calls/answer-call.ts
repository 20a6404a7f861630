import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoreResponse } from '../../jobs/idempotency/idempotency.ts';
import { keyedCall } from '../../jobs/idempotency/keyed-call.ts';
import type { Job, Lifetime } from '../../jobs/job.ts';
import type { AppDeps } from '../app-deps.ts';
import { Refusal } from '../problem/refusal.ts';
import { pathOf, rightsOf } from '../request-state.ts';
import { clientSignal } from '../routes/calls/call-signal.ts';
import { whenClosed } from '../stream/when-closed.ts';
import { endingOf, type RunCall } from './ending-of.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { logEnd } from './log-end.ts';
import { readPreferences } from './prefer.ts';
import { sendAccepted } from './send-accepted.ts';
import { sendExecutionStatus } from './send-execution.ts';
import { sendResponse } from './send-response.ts';
import { wantsEvents } from './wants-events.ts';

/** What a request runs. */
export interface CallToAnswer {
  /** `null` for a chain or a batch. */
  skillId: string | null;
  run: RunCall;
}

/**
 * Runs a call and answers it in the way that its request prefers: with its result when it has one, with events as they
 * come, or at once with where its result will be. A request with an idempotency key that has been used is answered with
 * what that call came to. Throws the `Refusal` of what is not begun.
 */
export async function answerCall(
  deps: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { skillId, run }: CallToAnswer,
): Promise<FastifyReply> {
  const key = idempotencyKey(request.headers['idempotency-key']);
  const { respondAsync, wait } = readPreferences(request.headers['prefer']);
  const events = wantsEvents(request.headers.accept);
  const isUntied = key !== undefined || respondAsync;

  const begin = (settle: StoreResponse | undefined): Job => {
    const lifetime: Lifetime = isUntied
      ? { to: 'nothing' }
      : events
        ? { to: 'watchers' }
        : { to: 'client', gone: clientSignal(reply) };
    const { actor, revoked } = rightsOf(request);
    const execution = deps.jobs.begin(
      {
        ...{ executionId: request.id, skillId, actor, lifetime, revoked },
        bodyBytes: request.bodyBytes,
      },
      async (signal, emit) => {
        const ending = await endingOf(deps, request, run, signal, emit);
        await settle?.(ending);
        return ending;
      },
    );
    // From here on the call's own record holds whatever happens.
    request.recorded = true;
    if (lifetime.to !== 'client') logEnd(request, execution);
    return execution;
  };

  const claimed =
    key === undefined
      ? { is: 'new' as const, execution: begin(undefined) }
      : await claim(deps, request, key, begin);
  if (claimed.is !== 'new') {
    reply.header('idempotency-replayed', 'true');
    const { executionId } = claimed.is === 'answered' ? claimed : claimed.execution;
    request.ended = { replayOf: executionId };
  }
  if (claimed.is === 'answered') return sendResponse(reply, claimed.ending, events);
  // Whoever joins waits with a body of their own.
  if (claimed.is === 'running') whenClosed(reply, deps.jobs.hold(rightsOf(request).actor, request.bodyBytes));
  const { execution } = claimed;
  if (respondAsync) return sendAccepted(reply, execution, wait);
  if (events) return sendExecutionStatus(deps, request, reply, execution, 0);
  return sendResponse(reply, await execution.ended, false);
}

async function claim(
  { idempotency, json }: AppDeps,
  request: FastifyRequest,
  key: string,
  begin: (settle: StoreResponse) => Job,
) {
  if (idempotency === undefined)
    throw new Refusal(
      'REQUEST_INVALID',
      'this server keeps no answers, so that it cannot recognize a request that is sent again: send it without Idempotency-Key, or have idempotency.keepHours set in the configuration',
    );
  const { actor } = rightsOf(request);
  const route = `${request.method} ${request.routeOptions.url}`;
  const asked = [pathOf(request), request.body ?? null];
  const { sha256: fingerprint } = await json.write(asked);
  return idempotency.claim(keyedCall({ actor, route, key, fingerprint }, request.id), begin);
}
