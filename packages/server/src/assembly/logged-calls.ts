import type { AuditLog, CallDenied, CallFinished, CallStarted } from '@ambit/core';
import type { FastifyBaseLogger } from 'fastify';

/**
 * The same log, with a line to `logger` at the end of each call that no line of a request tells of: those over MCP, links
 * of chains, and those that go on after their request. `isRequest` says whether an id is an open request's own.
 */
export function loggedCalls(
  log: AuditLog,
  logger: FastifyBaseLogger,
  isRequest: (executionId: string) => boolean,
): AuditLog {
  const open = new Map<string, CallStarted>();
  const tell = (event: CallFinished | CallDenied): void => {
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
        if (isEnd) tell(event);
        return position;
      } finally {
        if (isEnd) open.delete(event.executionId);
      }
    },
  };
}

/** Names and numbers only, as in the line of a request. */
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
