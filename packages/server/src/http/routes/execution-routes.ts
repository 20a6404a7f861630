import type { CallRecord } from '@ambit/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasScope } from '../../auth/key-rights.ts';
import type { Execution } from '../../executions/execution.ts';
import type { AppDeps } from '../app-deps.ts';
import { type ExecutionView, executionView, recordedView } from '../calls/execution-view.ts';
import { waitSecondsMost } from '../calls/prefer.ts';
import { endOrWait } from '../calls/send-accepted.ts';
import { sendExecution } from '../calls/send-execution.ts';
import { parseRequest } from '../door/parse-request.ts';
import { Refusal } from '../problem/refusal.ts';
import { rightsOf } from '../request-state.ts';
import { lastEventId } from '../stream/last-event-id.ts';
import type { ReachFor } from './reach-for.ts';

const ExecutionParams = z.strictObject({ id: z.string() });
const NoQuery = z.strictObject({});

const WaitQuery = z.strictObject({
  /** Seconds, in which it may come to its end before the answer. */
  wait: z
    .string()
    .regex(/^\d{1,2}$/, `write a number of seconds, 0 to ${waitSecondsMost}`)
    .transform(Number)
    .refine((seconds) => seconds <= waitSecondsMost, `write a number of seconds, 0 to ${waitSecondsMost}`)
    .default(0),
});

/** How long `DELETE` waits for the end that it brings. */
const cancelSeconds = 2;

/**
 * `GET /executions/:id`, its `/events`, and `DELETE`. An execution is there for the key that began it and for `admin`; for
 * anybody else it is as if it had never been. What is not held any more is told as the log has it.
 */
export function executionRoutes(app: FastifyInstance, deps: AppDeps, reachFor: ReachFor): void {
  app.get('/executions/:id', async (request, reply): Promise<ExecutionView> => {
    const { id } = parseRequest(ExecutionParams, request.params);
    const { wait } = parseRequest(WaitQuery, request.query);
    const execution = held(deps, request, id);
    if (execution === undefined) return recorded(reachFor, request, id);
    await endOrWait(execution, wait, reply);
    return executionView(execution);
  });

  app.delete('/executions/:id', async (request, reply): Promise<ExecutionView> => {
    const { id } = parseRequest(ExecutionParams, request.params);
    parseRequest(NoQuery, request.query);
    const execution = held(deps, request, id);
    if (execution === undefined) return recorded(reachFor, request, id);
    execution.cancel(new Error(`the key ${rightsOf(request).actor} canceled it`));
    await endOrWait(execution, cancelSeconds, reply);
    return executionView(execution);
  });

  app.get('/executions/:id/events', async (request, reply) => {
    const { id } = parseRequest(ExecutionParams, request.params);
    parseRequest(NoQuery, request.query);
    const after = lastEventId(request.headers['last-event-id']) ?? 0;
    const execution = held(deps, request, id);
    if (execution === undefined) {
      const data = JSON.stringify(await recorded(reachFor, request, id));
      return reply.type('text/event-stream').send(`event: record\ndata: ${data}\n\n`);
    }
    const { missed, events, isOver } = execution.eventsAfter(after);
    // By which a browser's EventSource knows that it need not come again.
    if (isOver && missed === 0 && events.length === 0) return reply.code(204).send();
    return sendExecution(deps, request, reply, execution, after);
  });
}

function held({ executions }: AppDeps, request: FastifyRequest, id: string): Execution | undefined {
  const execution = executions.find(id);
  return execution !== undefined && isTheirs(request, execution) ? execution : undefined;
}

async function recorded(reachFor: ReachFor, request: FastifyRequest, id: string): Promise<ExecutionView> {
  const { audit } = reachFor(request);
  const own = await audit.query({ executionId: id, limit: 1 });
  const found = own.records.length > 0 ? own : await audit.query({ parentId: id, limit: 200 });
  const theirs = found.records.filter((record) => isTheirs(request, record));
  if (theirs.length > 0) return recordedView(id, theirs);
  throw new Refusal(
    'EXECUTION_NOT_FOUND',
    `there is no execution ${JSON.stringify(id.slice(0, 200))} of this key's; its id is in the answer that began it`,
  );
}

function isTheirs(request: FastifyRequest, { actor }: Pick<CallRecord, 'actor'>): boolean {
  const rights = rightsOf(request);
  return actor === rights.actor || hasScope(rights, 'admin');
}
