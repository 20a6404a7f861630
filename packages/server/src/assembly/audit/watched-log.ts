import { type AuditLog, isCallEvent } from '@ambit/core';

/** A log that tracks running executions. */
export interface WatchedLog {
  log: AuditLog;
  /** Resolves when the end of every started execution is recorded or cannot be. */
  settled(): Promise<void>;
}

/**
 * Tracks executions so that shutdown can wait for their last records. An execution whose client is gone has no connection to
 * wait for, and the log would be closed before its end is recorded.
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
