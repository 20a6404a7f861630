import type { AuditEvent, CallRecord } from '@ambit/core';

/** What of an event stands in columns of its own, so that records can be asked for by it. */
export interface EventColumns {
  /** Whether it opens a record. */
  opens: boolean;
  /** The chain; only in the event that opens a link's record. */
  parentId: string | null;
  /** Only the event that opens a record knows the skill. */
  skill: string | null;
  /** How the record ended; `null` for an event that does not end one. */
  outcome: Exclude<CallRecord['outcome'], 'running'> | null;
}

export function eventColumns(event: AuditEvent): EventColumns {
  switch (event.kind) {
    case 'call.started':
      return { opens: true, parentId: event.parentId ?? null, skill: event.skill.id, outcome: null };
    case 'request.denied':
    case 'auth.rejected':
      return { opens: true, parentId: null, skill: null, outcome: 'denied' };
    case 'call.finished':
      return { opens: false, parentId: null, skill: null, outcome: event.outcome };
    case 'call.denied':
      return { opens: false, parentId: null, skill: null, outcome: 'denied' };
    case 'call.interrupted':
      return { opens: false, parentId: null, skill: null, outcome: 'interrupted' };
    default:
      return event satisfies never;
  }
}
