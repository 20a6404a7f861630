import { isBroken } from '@ambit/core/skill';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { peerOf } from '../../../../cluster/peers/peer-caller.ts';
import { Refusal } from '../../../../errors/refusal.ts';
import type { ClaimHolder } from '../../../../jobs/idempotency/claim-store.ts';
import type { StoreResponse } from '../../../../jobs/idempotency/idempotency.ts';
import { keyedCall } from '../../../../jobs/idempotency/keyed-call.ts';
import type { Job, Lifetime, OpenJob } from '../../../../jobs/job.ts';
import { whenClosed, whenGone } from '../../../connections/when-closed.ts';
import { passOn } from '../../../request/pass-on.ts';
import type { AppDeps } from '../../../route/app-deps.ts';
import { describeEnd, pathOf, rightsOf } from '../../../route/request-state.ts';
import { idempotencyKey, readPreferences, wantsEvents } from './call-headers.ts';
import { sendAccepted } from './send-accepted.ts';
import { sendJobEvents } from './send-job-events.ts';
import { type RunCall, sendResponse, toResponse } from './to-response.ts';

/** The call of a request. */
export interface CallToAnswer {
  /** `null` for a chain or a batch. */
  skillId: string | null;
  run: RunCall;
}

/**
 * Runs a call and responds as its request prefers: with its result, with events while it runs, or
 * immediately with the location of its result. A request with a used idempotency key gets the response of
 * the first one. Throws the `Refusal` of a call that cannot start.
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

  // Other calls are refused in the queue. A claim would bind the key, and a chain would be cut.
  if (key !== undefined || skillId === null) deps.cluster?.requireLease();

  const open = (lifetime: Lifetime): OpenJob => {
    const { actor, revoked } = rightsOf(request);
    const { id: executionId, bodyBytes } = request;
    const job = deps.jobs.open({ executionId, skillId, actor, lifetime, revoked, bodyBytes });
    // From here on, the call's own record has all events.
    request.recorded = true;
    return job;
  };
  if (key === undefined && !respondAsync && !events) {
    const job = open({ kind: 'client', whenGone: (abort) => whenGone(reply, abort) });
    const response = await toResponse(deps, request, run(job.signal, job.emit), job.emitted);
    job.finish(response);
    return sendResponse(reply, response, false);
  }

  const start = (lifetime: Lifetime, store?: StoreResponse): Job => {
    const job = open(lifetime);
    logEnd(request, job);
    void toResponse(deps, request, run(job.signal, job.emit), job.emitted).then(async (response) => {
      const sent = store === undefined ? response : await store(response);
      if (sent.isUnstored)
        job.emit('unstored', { detail: 'a retry with this idempotency key may be refused' });
      job.finish(sent);
    });
    return job;
  };
  const claimed =
    key === undefined
      ? { is: 'new' as const, job: start({ kind: respondAsync ? 'detached' : 'watchers' }) }
      : await claim(deps, request, { key, skillId }, (store) => start({ kind: 'detached' }, store));
  if ('rerunOf' in claimed)
    request.log.info({ originalExecutionId: claimed.rerunOf }, 'running an interrupted call again');
  if (claimed.is === 'elsewhere') return joinElsewhere(deps, request, reply, claimed);
  if (claimed.is !== 'new') {
    reply.header('idempotency-replayed', 'true');
    const { executionId } = claimed.is === 'answered' ? claimed : claimed.job;
    request.ended = { replayOf: executionId };
  }
  if (claimed.is === 'answered') return sendResponse(reply, claimed.response, events);
  // A request that joins a running call holds a body of its own while it waits.
  if (claimed.is === 'running') whenClosed(reply, deps.jobs.hold(rightsOf(request).actor, request.bodyBytes));
  const { job } = claimed;
  if (respondAsync) return sendAccepted(reply, job, wait);
  if (events) return sendJobEvents(deps, request, reply, job, 0);
  return sendResponse(reply, await job.ended(), false);
}

/** Logs the end of a job, which may come long after its request was answered. The logger adds the execution id. */
function logEnd(request: FastifyRequest, { ended, startedAt, state }: Job): void {
  void ended().then(({ status }) => {
    const now = state();
    const durationMs = now.status === 'finished' ? now.endedAt - startedAt : undefined;
    const line = { durationMs, ...describeEnd(request.ended) };
    if (status >= 500) request.log.error(line, 'execution');
    else request.log.info(line, 'execution');
  });
}

/** Joins the call of an idempotency key where it runs. */
async function joinElsewhere(
  deps: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { holder, executionId }: { holder: ClaimHolder; executionId: string },
): Promise<FastifyReply> {
  const { cluster, json } = deps;
  const node = cluster?.nodeOf(holder.node);
  if (cluster === undefined || node === undefined || peerOf(request.raw) !== undefined)
    throw new Refusal(
      'NODE_UNREACHABLE',
      `call ${executionId} has this idempotency key, and the node that runs it is not known here yet; try again in 2 s`,
      { headers: { 'retry-after': '2' } },
    );
  const { bytes } = await json.write(request.body ?? null);
  return passOn(deps, node, request, reply, bytes);
}

async function claim(
  { idempotency, json, execute, rerunsInterrupted }: AppDeps,
  request: FastifyRequest,
  { key, skillId }: { key: string; skillId: string | null },
  begin: (store: StoreResponse) => Job,
) {
  if (idempotency === undefined)
    throw new Refusal(
      'REQUEST_INVALID',
      'idempotency keys are disabled; send the request without Idempotency-Key, or set idempotency.retentionHours in the configuration',
    );
  const { actor } = rightsOf(request);
  const route = `${request.method} ${request.routeOptions.url}`;
  const content = [skillId ?? pathOf(request), request.body ?? null];
  const { sha256: fingerprint } = await json.write(content);
  const mayRerun = async (): Promise<boolean> => {
    const skill = skillId === null ? undefined : await execute.catalog.find(skillId);
    return (
      skill !== undefined &&
      !isBroken(skill) &&
      skill.sidecar.idempotent === true &&
      rerunsInterrupted(skill.id)
    );
  };
  return idempotency.claim(keyedCall({ actor, route, key, fingerprint }, request.id), begin, mayRerun);
}
