import type { Capabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import type { RecordedLimits } from '../capability/limits.ts';
import type { EgressConnection } from '../egress/egress-connection.ts';
import type { Failure, OutcomeStatus, Usage } from '../execute/outcome.ts';
import type { UsedCapabilities } from '../execute/used.ts';
import type {
  Actor,
  AuditEvent,
  CallEvent,
  ContentDigest,
  EntryPoint,
  RecordedPayload,
  RecordedSkill,
  RecordedWorkspace,
} from './audit-event.ts';

/** A call in the log: its joined events. */
export interface CallRecord {
  /** The position of its first event, by which records are ordered. */
  sequence: number;
  executionId: string;
  /** The chain that it belongs to; absent for a single call. */
  parentId?: string;
  via: EntryPoint;
  actor: Actor | null;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** `null` while it runs. */
  endedAt: string | null;
  /** `null` for a request that was refused before it named a skill. */
  skill: RecordedSkill | null;
  policyDigest: string | null;
  capabilities: {
    requested: Capabilities | null;
    /** The part of the request that the operator's grant adds; absent: none. */
    added?: Capabilities;
    granted: Capabilities | null;
    denied: readonly Denial[];
  };
  /** Its network connections and attempts. */
  connections: readonly EgressConnection[];
  /** What it used of its grant. Absent for a call that did not finish, and in older logs. */
  used?: UsedCapabilities;
  limits: RecordedLimits | null;
  sandbox: string | null;
  /**
   * Its workspace, with digests of the content before and after the run; absent for a call without
   * one.
   */
  workspace?: Pick<RecordedWorkspace, 'id'> & Partial<RecordedWorkspace>;
  input: ContentDigest | null;
  output: ContentDigest | null;
  /** The stored input and output, if any and not yet pruned. */
  stored: { input?: Omit<RecordedPayload, 'of'>; output?: Omit<RecordedPayload, 'of'> };
  /**
   * How it ended: an outcome, `denied` if it was refused or could not start, or `running` while it
   * has no end.
   */
  outcome: OutcomeStatus | 'denied' | 'running';
  /** What canceled it. Absent for every other outcome, and in older logs. */
  reason?: string;
  failure: Failure | null;
  usage: Usage | null;
  error: { code: string; message: string } | null;
  /** Method and path of a request that was refused before routing. */
  request: string | null;
}

/** Typed to list every outcome, so that a new one cannot be forgotten here. */
const outcomeNames: Readonly<Record<CallRecord['outcome'], true>> = {
  succeeded: true,
  failed: true,
  'timed-out': true,
  'out-of-memory': true,
  'out-of-fuel': true,
  'output-too-large': true,
  'output-invalid': true,
  'capability-violated': true,
  canceled: true,
  interrupted: true,
  denied: true,
  running: true,
};

/** Every status of a record, to filter by. */
export const recordOutcomes = Object.keys(outcomeNames) as CallRecord['outcome'][];

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

/** Whether an event belongs to a call, or to a request that was refused before it became one. */
export function isCallEvent(event: AuditEvent): event is CallEvent {
  return 'executionId' in event;
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
    case 'call.finished':
      return {
        ...record,
        endedAt,
        capabilities: { ...record.capabilities, granted: event.granted, denied: event.denied ?? [] },
        connections: event.connections ?? [],
        ...(event.used === undefined ? {} : { used: event.used }),
        ...(event.workspace === undefined ? {} : { workspace: event.workspace }),
        limits: event.limits,
        sandbox: event.sandbox,
        output: event.output,
        outcome: event.outcome,
        ...(event.reason === undefined ? {} : { reason: event.reason }),
        failure: event.failure,
        usage: event.usage,
      };
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
