import {
  type AuditEvent,
  callRecord,
  isCallEvent,
  type LogPruned,
  type RecordedPayload,
} from '@ambit/core/audit';
import { parseEvent } from '../log/event-row.ts';
import type { LogSource, PlacedEvent } from './log-source.ts';

/**
 * Events per step. Few when the index is almost current, so a query waits only tens of milliseconds.
 * More when it is far behind, because queries then wait for several steps and larger transactions cost less.
 */
const eventsMax = { near: 2000, far: 10_000 };
/** More events than this, and an index is far behind. */
export const farBehind = 50_000;

/** The events of a step, for an index that lacks so many. */
export function stepEvents(missing: number): number {
  return missing > farBehind ? eventsMax.far : eventsMax.near;
}

/** The methods by which an index reads a log. */
export type RecordReader = Pick<LogSource, 'after' | 'payloads' | 'openingOf' | 'event'>;

/** The columns of `calls` and of `kinds` for a record. */
export type CallRow = ReturnType<typeof rowOf>;

/** A stored payload, and the record that it belongs to. */
export interface IndexedText {
  record: number;
  of: RecordedPayload['of'];
  text: string;
}

/** The changes by the next events after `from`, a bounded number of them. */
export interface NextRecords {
  /** The last of the events; `from` if there are none. */
  last: number;
  /** The records that they begin or end. */
  rows: CallRow[];
  texts: IndexedText[];
  prunings: LogPruned[];
}

/** Reads the next events of the log up to `upTo`. A record that began before them may have been pruned. */
export function nextRecords(log: RecordReader, from: number, upTo: number): NextRecords {
  const events = log.after(from, upTo, stepEvents(upTo - from));
  const last = events.at(-1)?.sequence;
  if (last === undefined) return { last: from, rows: [], texts: [], prunings: [] };
  const calls = new Map<string, PlacedEvent[]>();
  const prunings: LogPruned[] = [];
  for (const { sequence, body } of events) {
    const event = eventIn(body);
    // An invalid event: verification reports it, and the others remain searchable.
    if (event === undefined) continue;
    if (isCallEvent(event)) {
      const { executionId } = event;
      const before = calls.get(executionId) ?? ('via' in event ? [] : openingOf(log, executionId));
      calls.set(executionId, [...before, { sequence, event }]);
    } else if (event.kind === 'log.pruned') prunings.push(event);
  }
  const rows: CallRow[] = [];
  const recordOf = new Map<number, number>();
  for (const placed of calls.values()) {
    const row = rowIn(placed);
    if (row === undefined) continue;
    rows.push(row);
    for (const { sequence } of placed) recordOf.set(sequence, row.sequence);
  }
  const texts = log.payloads(from + 1, last).flatMap(({ sequence, of, text }) => {
    const record = recordOf.get(sequence);
    return record === undefined ? [] : [{ record, of, text }];
  });
  return { last, rows, texts, prunings };
}

function openingOf(log: RecordReader, executionId: string): PlacedEvent[] {
  const opening = log.openingOf(executionId);
  const event = opening === undefined ? undefined : log.event(opening);
  return event === undefined ? [] : [event];
}

/** `undefined` for an invalid event. */
export function eventIn(body: string): AuditEvent | undefined {
  try {
    const event = parseEvent(body);
    return 'kind' in event ? event : undefined;
  } catch {
    return undefined;
  }
}

/** The row of the record that these events form; `undefined` if they form no valid one. */
export function rowIn(events: readonly PlacedEvent[]): CallRow | undefined {
  try {
    return events[0] !== undefined && 'via' in events[0].event ? rowOf(events) : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(events: readonly PlacedEvent[]) {
  const { sequence, startedAt, parentId, via, actor, skill, outcome, capabilities, usage } =
    callRecord(events);
  const last = events.at(-1);
  const isKnown = skill !== null && 'tier' in skill;
  return {
    sequence,
    started: Date.parse(startedAt),
    ended: last === undefined || last.event.kind === 'call.started' ? null : last.sequence,
    duration: usage?.durationMs ?? null,
    unknown: isKnown ? null : (skill?.id ?? null),
    parent: parentId ?? null,
    skill: isKnown ? skill.id : null,
    isUnknown: skill === null || isKnown ? 0 : 1,
    actor,
    via,
    tier: isKnown ? skill.tier : null,
    outcome,
    denied: JSON.stringify([...new Set(capabilities.denied.map(({ capability }) => capability))].sort()),
  };
}
