import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Execution, Tie } from '../../executions/execution.ts';
import type { Settle } from '../../executions/idempotency/idempotency.ts';
import { keyedCall } from '../../executions/idempotency/keyed-call.ts';
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
import { sendEnding } from './send-ending.ts';
import { sendExecution } from './send-execution.ts';
import { wantsEvents } from './wants-events.ts';

/** What a request runs. */
export interface AskedCall {
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
  { skillId, run }: AskedCall,
): Promise<FastifyReply> {
  const key = idempotencyKey(request.headers['idempotency-key']);
  const { respondAsync, wait } = readPreferences(request.headers['prefer']);
  const events = wantsEvents(request.headers.accept);
  const isUntied = key !== undefined || respondAsync;

  const begin = (settle: Settle | undefined): Execution => {
    const tie: Tie = isUntied
      ? { to: 'nothing' }
      : events
        ? { to: 'watchers' }
        : { to: 'client', gone: clientSignal(reply) };
    const { actor, revoked } = rightsOf(request);
    const execution = deps.executions.begin(
      {
        ...{ executionId: request.id, skillId, actor, tie, revoked },
        bodyBytes: request.bodyBytes,
      },
      async (signal, tell) => {
        const ending = await endingOf(deps, request, run, signal, tell);
        await settle?.(ending);
        return ending;
      },
    );
    // From here on the call's own record holds whatever happens.
    request.recorded = true;
    if (tie.to !== 'client') logEnd(request, execution);
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
  if (claimed.is === 'answered') return sendEnding(reply, claimed.ending, events);
  // Whoever joins waits with a body of their own.
  if (claimed.is === 'running')
    whenClosed(reply, deps.executions.hold(rightsOf(request).actor, request.bodyBytes));
  const { execution } = claimed;
  if (respondAsync) return sendAccepted(reply, execution, wait);
  if (events) return sendExecution(deps, request, reply, execution, 0);
  return sendEnding(reply, await execution.ended, false);
}

async function claim(
  { idempotency, json }: AppDeps,
  request: FastifyRequest,
  key: string,
  begin: (settle: Settle) => Execution,
) {
  if (idempotency === undefined)
    throw new Refusal(
      'REQUEST_INVALID',
      'this server keeps no answers, so that it cannot tell a request that is sent again: send it without Idempotency-Key, or have idempotency.keepHours set in the configuration',
    );
  const { actor } = rightsOf(request);
  const route = `${request.method} ${request.routeOptions.url}`;
  const asked = [pathOf(request), request.body ?? null];
  const { sha256: fingerprint } = await json.write(asked);
  return idempotency.claim(keyedCall({ actor, route, key, fingerprint }, request.id), begin);
}
