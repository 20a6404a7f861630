import type { AuditLog, CallDenied, CallFinished, CallStarted } from '@ambit/core';
import type { FastifyBaseLogger } from 'fastify';

/**
 * Wraps a log and logs the end of each call that has no request line: calls over MCP, calls within chains, and calls that
 * continue after their request. `isRequest` says whether an id belongs to an open request.
 */
export function loggedCalls(
  log: AuditLog,
  logger: FastifyBaseLogger,
  isRequest: (executionId: string) => boolean,
): AuditLog {
  const open = new Map<string, CallStarted>();
  const logEnd = (event: CallFinished | CallDenied): void => {
    const call = open.get(event.executionId);
    if (call === undefined || isRequest(event.executionId)) return;
    logger.info(lineOf(call, event), 'call');
  };
  return {
    ...log,
    async append(event, payload) {
      const isEnd = event.kind === 'call.finished' || event.kind === 'call.denied';
      try {
        const position = await log.append(event, payload);
        if (event.kind === 'call.started') open.set(event.executionId, event);
        if (isEnd) logEnd(event);
        return position;
      } finally {
        if (isEnd) open.delete(event.executionId);
      }
    },
  };
}

/** Only names and numbers, like a request line. */
function lineOf(
  { executionId, parentId, via, actor, skill }: CallStarted,
  end: CallFinished | CallDenied,
): object {
  return {
    executionId,
    ...(parentId === undefined ? {} : { parentId }),
    ...{ via, key: actor, skill: skill.id },
    ...(end.kind === 'call.denied'
      ? { code: end.code }
      : {
          outcome: end.outcome,
          durationMs: Math.round(end.usage.durationMs),
          queueMs: Math.round(end.usage.queueMs),
        }),
  };
}
