import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Job } from '../../jobs/job.ts';
import { whenClosed } from '../stream/when-closed.ts';
import { executionPath, executionStatus } from './execution-status.ts';
import { sendResponse } from './send-response.ts';

/**
 * Answers with where the result of a call will be: `202`. One that `wait`s gets the result itself when it is there within
 * so many seconds.
 */
export async function sendAccepted(
  reply: FastifyReply,
  execution: Job,
  wait: number | undefined,
): Promise<FastifyReply> {
  // What is promised has to be known after a crash too.
  await execution.recorded;
  await endOrWait(execution, wait ?? 0, reply);
  const state = execution.state();
  if (state.status === 'finished') return sendResponse(reply, state.ending, false);
  const applied = wait === undefined ? 'respond-async' : `respond-async, wait=${wait}`;
  return reply
    .code(202)
    .headers({ location: executionPath(execution.executionId), 'preference-applied': applied })
    .send(executionStatus(execution));
}

/** Resolves when it has ended, or the seconds are over, or nobody waits for it any more. */
export async function endOrWait({ ended }: Job, seconds: number, reply: FastifyReply): Promise<void> {
  if (seconds === 0) return;
  const over = new AbortController();
  const gone = (): void => over.abort();
  whenClosed(reply, gone);
  // Not until a stop: that gives the call its end, which is what is waited for.
  const waited = delay(seconds * 1000, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([ended, waited]);
  reply.raw.off('close', gone);
  over.abort();
}
