import type { CallDenied, CallFinished, CallStarted } from '@ambit/core/audit';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditObserver } from '../../audit/audit-observer.ts';

/**
 * Logs the end of each call that has no request line: calls over MCP, calls within chains, and calls that outlive their
 * request. `isRequest` says whether an id belongs to an open request.
 */
export function callLogLines(
  logger: FastifyBaseLogger,
  isRequest: (executionId: string) => boolean,
): AuditObserver {
  const open = new Map<string, CallStarted>();
  return {
    onRecorded(event) {
      if (event.kind === 'call.started') open.set(event.executionId, event);
      if (event.kind !== 'call.finished' && event.kind !== 'call.denied') return;
      const call = open.get(event.executionId);
      open.delete(event.executionId);
      if (call !== undefined && !isRequest(event.executionId)) logger.info(lineOf(call, event), 'call');
    },
    onFailed(event) {
      if (event.kind === 'call.finished' || event.kind === 'call.denied') open.delete(event.executionId);
    },
  };
}

/** A line of names and numbers alone, like a request line. */
function lineOf(
  { executionId, parentId, via, actor, skill }: CallStarted,
  end: CallFinished | CallDenied,
): object {
  const call = { executionId, parentId, via, key: actor, skill: skill.id };
  if (end.kind === 'call.denied') return { ...call, code: end.code };
  const { outcome, usage } = end;
  return {
    ...call,
    outcome,
    durationMs: Math.round(usage.durationMs),
    queueMs: Math.round(usage.queueMs),
  };
}
