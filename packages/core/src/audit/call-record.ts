// Without schemas: the threads of the log join records and should not load them.
import type { CallEvent } from './audit-event.ts';
import type { CallRecord } from './call-record-schema.ts';
import type { RecordedPayload } from './event-parts.ts';

/**
 * Joins the events of one execution, in the order written, into its record. Throws if the first
 * event does not start a record, which shows that the log was tampered with.
 */
export function callRecord(
  events: readonly { sequence: number; event: CallEvent }[],
  payloads: readonly RecordedPayload[] = [],
): CallRecord {
  const [first, ...rest] = events;
  if (first === undefined) throw new Error('a record has at least one event');
  const record = rest.reduce(
    (joined, { event }) => closed(joined, event),
    opened(first.sequence, first.event),
  );
  return { ...record, stored: Object.fromEntries(payloads.map(({ of, ...payload }) => [of, payload])) };
}

function opened(sequence: number, event: CallEvent): CallRecord {
  const open = {
    sequence,
    executionId: event.executionId,
    startedAt: iso(event.time),
    endedAt: null,
    connections: [],
    limits: null,
    sandbox: null,
    output: null,
    stored: {},
    failure: null,
    usage: null,
  };
  switch (event.kind) {
    case 'call.started':
      return {
        ...open,
        ...(event.parentId === undefined ? {} : { parentId: event.parentId }),
        via: event.via,
        actor: event.actor,
        skill: event.skill,
        policyDigest: event.policyDigest,
        capabilities: {
          requested: event.requested,
          ...(event.added === undefined ? {} : { added: event.added }),
          granted: null,
          denied: [],
        },
        ...(event.workspace === undefined ? {} : { workspace: { id: event.workspace } }),
        input: event.input,
        outcome: 'running',
        error: null,
        request: null,
      };
    case 'request.denied':
    case 'auth.rejected':
      return {
        ...open,
        via: event.via,
        actor: event.actor,
        endedAt: iso(event.time),
        skill: null,
        policyDigest: null,
        capabilities: { requested: null, granted: null, denied: [] },
        input: null,
        outcome: 'denied',
        error: { code: event.code, message: event.message },
        request: event.request,
      };
    default:
      throw new Error(
        `event ${sequence} (${event.kind}) ends execution ${event.executionId}, which never started`,
      );
  }
}

function closed(record: CallRecord, event: CallEvent): CallRecord {
  const endedAt = iso(event.time);
  switch (event.kind) {
    case 'call.finished': {
      const finished: CallRecord = {
        ...record,
        endedAt,
        capabilities: { ...record.capabilities, granted: event.granted, denied: event.denied },
        connections: event.connections ?? [],
        limits: event.limits,
        sandbox: event.sandbox,
        output: event.output,
        outcome: event.outcome,
        failure: event.failure,
        usage: event.usage,
      };
      if (event.hostCalls !== undefined) finished.hostCalls = event.hostCalls;
      if (event.redactions !== undefined) finished.redactions = event.redactions;
      if (event.missingPrograms !== undefined) finished.missingPrograms = event.missingPrograms;
      finished.used = event.used;
      if (event.workspace !== undefined) finished.workspace = event.workspace;
      if (event.reason !== undefined) finished.reason = event.reason;
      if (event.remedy !== undefined) finished.remedy = event.remedy;
      return finished;
    }
    case 'call.denied':
      return {
        ...record,
        endedAt,
        capabilities: { ...record.capabilities, denied: event.denied },
        outcome: 'denied',
        error: { code: event.code, message: event.message },
      };
    case 'call.interrupted':
      return { ...record, endedAt, outcome: 'interrupted' };
    default:
      throw new Error(`execution ${record.executionId} started twice`);
  }
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
