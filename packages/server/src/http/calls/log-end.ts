import type { FastifyRequest } from 'fastify';
import type { Job } from '../../jobs/job.ts';
import { describeEnd } from '../request-log.ts';

/** Logs the end of a job, perhaps long after the response to its request. The logger adds the execution's id. */
export function logEnd(request: FastifyRequest, { ended, startedAt, state }: Job): void {
  void ended.then(({ status }) => {
    const now = state();
    const durationMs = now.status === 'finished' ? now.endedAt - startedAt : undefined;
    const line = { durationMs, ...describeEnd(request.ended) };
    if (status >= 500) request.log.error(line, 'execution');
    else request.log.info(line, 'execution');
  });
}
