import type { AuditEvent, AuditLog, AuditQuery } from '@ambit/core/audit';
import type { AuditPage } from '@ambit/core/internal';

/** What a log of a test does where it is not to do nothing. */
export interface ScriptedLogOptions {
  /** What becomes of an event before it is kept. */
  append?: (event: AuditEvent) => void;
  /** What the log answers to any query. */
  page?: AuditPage | Error;
  /** What else it is asked. */
  log?: Partial<AuditLog>;
}

/** A log that keeps what it is given and what it is asked, in order. */
export function scriptedLog({ append, page = { records: [], next: null }, log }: ScriptedLogOptions): {
  audit: AuditLog;
  events: AuditEvent[];
  queries: AuditQuery[];
} {
  const events: AuditEvent[] = [];
  const queries: AuditQuery[] = [];
  const audit: AuditLog = {
    ...{
      count: neverCalled,
      stats: neverCalled,
      export: neverCalled,
      events: neverCalled,
      follow: neverCalled,
    },
    ...log,
    async append(event) {
      append?.(event);
      return { sequence: events.push(event), hash: 'sha256:h' };
    },
    async query(query) {
      queries.push(query);
      if (page instanceof Error) throw page;
      return page;
    },
    interruptOpen: async () => 0,
    close: async () => undefined,
  };
  return { audit, events, queries };
}

/** In place of what a test has no use for. */
export function neverCalled(): never {
  throw new Error('no test asks the log for this');
}
