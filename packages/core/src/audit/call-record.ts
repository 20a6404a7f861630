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

/** One call as the log tells it: its events, joined. */
export interface CallRecord {
  /** The position of its first event; records are ordered by it. */
  sequence: number;
  executionId: string;
  /** The chain that it is a link of; absent for a call by itself. */
  parentId?: string;
  via: EntryPoint;
  actor: Actor | null;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** `null` while it runs. */
  endedAt: string | null;
  /** `null` for a request that was refused before it named one. */
  skill: RecordedSkill | null;
  policyDigest: string | null;
  capabilities: {
    requested: Capabilities | null;
    /** The part of what is requested that the operator's grant adds; absent: none. */
    added?: Capabilities;
    granted: Capabilities | null;
    denied: readonly Denial[];
  };
  /** What it reached on the network, or tried to. */
  connections: readonly EgressConnection[];
  /** What it used of what it was granted; absent for a call that did not run to an end, and in logs from before it was written. */
  used?: UsedCapabilities;
  limits: RecordedLimits | null;
  sandbox: string | null;
  /** The workspace that it names, and what was in it before and after the run; absent for a call without one. */
  workspace?: Pick<RecordedWorkspace, 'id'> & Partial<RecordedWorkspace>;
  input: ContentDigest | null;
  output: ContentDigest | null;
  /** What was kept of them, where something was and has not been pruned since. */
  kept: { input?: Omit<RecordedPayload, 'of'>; output?: Omit<RecordedPayload, 'of'> };
  /** How it ended: an outcome, `denied` when it was refused or could not start, `running` while it has no end. */
  outcome: OutcomeStatus | 'denied' | 'running';
  /** Who or what canceled it; absent for every other outcome, and where the log does not say. */
  reason?: string;
  failure: Failure | null;
  usage: Usage | null;
  error: { code: string; message: string } | null;
  /** What a request that was refused before routing asked for: method and path. */
  request: string | null;
}

/** Every member is named, so that a new outcome cannot be forgotten here. */
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

/** Every way in which a record can stand, for those who ask for one of them. */
export const recordOutcomes = Object.keys(outcomeNames) as CallRecord['outcome'][];

/**
 * Joins the events of one execution, in the order in which they were written, into its record. Throws when the first
 * of them does not open a record: such a log has been tampered with.
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
  return { ...record, kept: Object.fromEntries(payloads.map(({ of, ...payload }) => [of, payload])) };
}

/** Whether an event belongs to a call, or to a request that never became one. */
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
    kept: {},
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
        `event ${sequence} (${event.kind}) closes execution ${event.executionId}, which was never opened`,
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
      throw new Error(`execution ${record.executionId} was opened twice`);
  }
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
