import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Job } from '../../../../jobs/job.ts';
import { whenClosed } from '../../../connections/when-closed.ts';
import { executionPath, executionStatus } from './execution-status.ts';
import { sendResponse } from './to-response.ts';

/** Responds with `202` and the location of the result, or with the result if the call ends within `wait` seconds. */
export async function sendAccepted(
  reply: FastifyReply,
  job: Job,
  wait: number | undefined,
): Promise<FastifyReply> {
  // The call must be recorded before it is accepted, in case of a crash.
  await job.recorded();
  await endOrWait(job, wait ?? 0, reply);
  const state = job.state();
  if (state.status === 'finished') return sendResponse(reply, state.response, false);
  const applied = wait === undefined ? 'respond-async' : `respond-async, wait=${wait}`;
  return reply
    .code(202)
    .headers({ location: executionPath(job.executionId), 'preference-applied': applied })
    .send(executionStatus(job));
}

/** Resolves when the job has ended, the time is up, or the client has gone. */
export async function endOrWait({ ended }: Job, seconds: number, reply: FastifyReply): Promise<void> {
  if (seconds === 0) return;
  const over = new AbortController();
  const gone = (): void => over.abort();
  whenClosed(reply, gone);
  // A stop needs no signal here: it ends the job.
  const waited = delay(seconds * 1000, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([ended(), waited]);
  reply.raw.off('close', gone);
  over.abort();
}
