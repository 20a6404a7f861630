import type { AuditEvent, AuditLog, AuditPage, AuditQuery } from '@ambit/core/audit';

/** The behaviour of a test's log; by default it does nothing. */
export interface ScriptedLogOptions {
  /** Called with each event before it is stored. */
  append?: (event: AuditEvent) => void;
  /** The response to any query. */
  page?: AuditPage | Error;
  /** Other methods. */
  log?: Partial<AuditLog>;
}

/** A log that records the events and the queries it gets, in order. */
export function scriptedLog({ append, page = { records: [], next: null }, log }: ScriptedLogOptions): {
  audit: AuditLog;
  events: AuditEvent[];
  queries: AuditQuery[];
} {
  const events: AuditEvent[] = [];
  const queries: AuditQuery[] = [];
  const audit: AuditLog = {
    count: neverCalled,
    stats: neverCalled,
    export: neverCalled,
    events: neverCalled,
    follow: neverCalled,
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

/** For methods that a test does not use. */
export function neverCalled(): never {
  throw new Error('unexpected call');
}
