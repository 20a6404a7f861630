import { callContracts, type ExecutionStatus } from '@ambit/api';
import type { CallRecord } from '@ambit/core/audit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasScope } from '../../../auth/key-rights.ts';
import { Refusal } from '../../../errors/refusal.ts';
import type { Job } from '../../../jobs/job.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { executionStatus, recordedStatus } from './answer/execution-status.ts';
import { endOrWait } from './answer/send-accepted.ts';
import { sendJobEvents } from './answer/send-job-events.ts';

/** The time that `DELETE` waits for the call to end. */
const cancelSeconds = 2;

/**
 * `GET` and `DELETE /executions/:id`, and its `/events`. An execution is visible to the key that started it
 * and to `admin`; for other keys it does not exist. If its response is no longer stored, the status comes
 * from the audit log.
 */
export function executionRoutes(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  route(app, callContracts.getExecution, async ({ params: { id }, query: { wait } }, request, reply) => {
    const job = held(deps, request, id);
    if (job === undefined) return recorded(accessFor, request, id);
    await endOrWait(job, wait, reply);
    return sendStatus(deps, reply, job);
  });

  route(app, callContracts.cancelExecution, async ({ params: { id } }, request, reply) => {
    const job = held(deps, request, id);
    if (job === undefined) return recorded(accessFor, request, id);
    job.cancel(new Error(`${rightsOf(request).actor} canceled it`));
    await endOrWait(job, cancelSeconds, reply);
    return sendStatus(deps, reply, job);
  });

  route(
    app,
    callContracts.followExecution,
    async ({ params: { id }, headers: { 'last-event-id': named = 0 } }, request, reply) => {
      const job = held(deps, request, id);
      if (job === undefined) {
        const data = JSON.stringify(await recorded(accessFor, request, id));
        return reply.type('text/event-stream').send(`event: record\ndata: ${data}\n\n`);
      }
      const after = job.resumeId(named);
      const { missed, events, isOver } = job.eventsAfter(after);
      // Tells a browser's EventSource not to reconnect.
      if (isOver && missed === 0 && events.length === 0) return reply.code(204).send();
      return sendJobEvents(deps, request, reply, job, after);
    },
  );
}

async function sendStatus({ json }: AppDeps, reply: FastifyReply, job: Job): Promise<FastifyReply> {
  const { bytes } = await json.write(executionStatus(job));
  return reply.type('application/json; charset=utf-8').send(bytes);
}

function held({ jobs }: AppDeps, request: FastifyRequest, id: string): Job | undefined {
  const job = jobs.find(id);
  return job !== undefined && isTheirs(request, job) ? job : undefined;
}

async function recorded(accessFor: AccessFor, request: FastifyRequest, id: string): Promise<ExecutionStatus> {
  const { audit } = accessFor(request);
  const own = await audit.query({ executionId: id, limit: 1 });
  // Its node knows whether a call or a chain still runs.
  const hasEnded = own.records.some(({ outcome }) => outcome !== 'running');
  if (request.unreachable !== null && !hasEnded) throw request.unreachable;
  const found = own.records.length > 0 ? own : await audit.query({ parentId: id, limit: 200 });
  const theirs = found.records.filter((record) => isTheirs(request, record));
  if (theirs.length > 0) return recordedStatus(id, theirs);
  throw new Refusal(
    'EXECUTION_NOT_FOUND',
    `execution ${JSON.stringify(id.slice(0, 200))} does not exist or belongs to another key; use the executionId of the response that started it`,
  );
}

function isTheirs(request: FastifyRequest, { actor }: Pick<CallRecord, 'actor'>): boolean {
  const rights = rightsOf(request);
  return actor === rights.actor || hasScope(rights, 'admin');
}
