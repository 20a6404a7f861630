import { type AuditLog, isCallEvent } from '@ambit/core';

/** A log that knows which executions have begun and not ended. */
export interface WatchedLog {
  log: AuditLog;
  /** Resolves when every execution that has begun has its end in the log, or cannot get one. */
  settled(): Promise<void>;
}

/**
 * Watches a log so that a stop can wait for the last record: an answer that nobody waits for any more ends no
 * connection, and the log would be closed before its execution has written how it ended.
 */
export function watchedLog(log: AuditLog): WatchedLog {
  const open = new Set<string>();
  let whenSettled = Promise.withResolvers<void>();
  const ended = (executionId: string): void => {
    if (open.delete(executionId) && open.size === 0) {
      whenSettled.resolve();
      whenSettled = Promise.withResolvers();
    }
  };
  return {
    log: {
      ...log,
      async append(event, payload) {
        if (!isCallEvent(event)) return log.append(event, payload);
        const { executionId, kind } = event;
        if (kind === 'call.started') {
          const position = await log.append(event, payload);
          open.add(executionId);
          return position;
        }
        try {
          return await log.append(event, payload);
        } finally {
          ended(executionId);
        }
      },
    },
    settled: () => (open.size === 0 ? Promise.resolve() : whenSettled.promise),
  };
}
