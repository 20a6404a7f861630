import {
  type AuditEvent,
  type CallEvent,
  type CallRecord,
  callRecord,
  isCallEvent,
  type RecordedPayload,
  type RecordFilter,
} from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { parseEvent } from '../log/event-row.ts';

/** An event of a call, with its place in the log. */
export interface PlacedEvent {
  sequence: number;
  event: CallEvent;
}

/** The first event of a record; `isCall` if another event ends it. */
export interface Opening {
  sequence: number;
  executionId: string;
  isCall: number;
}

export type LogSource = ReturnType<typeof logSource>;

/** Queries on `audit.db`, which is never written here. */
export function logSource(log: Database) {
  const head = log.prepare<[], number>('SELECT sequence FROM log ORDER BY sequence DESC LIMIT 1').pluck();
  const logId = log.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck();
  const hashAt = log.prepare<[number], string>('SELECT lower(hex(hash)) FROM log WHERE sequence = ?').pluck();
  const bodyAt = log.prepare<[number], string>('SELECT body FROM log WHERE sequence = ?').pluck();
  const after = log.prepare<[number, number, number], { sequence: number; body: string }>(
    'SELECT sequence, body FROM log WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?',
  );
  const payloads = log.prepare<[number, number], StoredPayload>(
    'SELECT sequence, side AS "of", text, is_cut AS isCut FROM payloads WHERE sequence >= ? AND sequence <= ? ORDER BY sequence',
  );
  const newestTexts = log
    .prepare<[], string>('SELECT substr(text, 1, 2000) FROM payloads ORDER BY sequence DESC LIMIT 100')
    .pluck();
  const openingOf = log
    .prepare<[string], number>('SELECT sequence FROM log WHERE execution_id = ? AND opens = 1')
    .pluck();
  const firstAfter = log
    .prepare<[number], number | null>('SELECT min(sequence) FROM log WHERE sequence > ?')
    .pluck();
  const openings = log.prepare<[Record<string, unknown>], Opening>(
    `SELECT sequence, execution_id AS executionId, instr(body, '"kind":"call.started"') > 0 AS isCall FROM log
     WHERE sequence > @from AND sequence <= @through AND opens = 1
       AND NOT EXISTS (SELECT 1 FROM json_each(@members) WHERE instr(body, value) = 0)
       AND CASE WHEN json_valid(body) THEN json_extract(body, '$.time') >= @since AND json_extract(body, '$.time') < @until END
     ORDER BY sequence LIMIT @limit`,
  );
  const endAt = log.prepare('SELECT 1 FROM log WHERE sequence = ? AND execution_id = ? AND opens = 0');
  const isOpen = log.prepare('SELECT 1 FROM open_records WHERE execution_id = ?');
  const endsOf = log.prepare<[number, number, string], { sequence: number; executionId: string }>(
    `SELECT sequence, execution_id AS executionId FROM log
     WHERE sequence > ? AND sequence <= ? AND opens = 0 AND execution_id IN (SELECT value FROM json_each(?))`,
  );
  const eventsFrom = log.prepare<[number, number], { sequence: number; body: string; hash: string }>(
    "SELECT sequence, body, 'sha256:' || lower(hex(hash)) AS hash FROM log WHERE sequence >= ? ORDER BY sequence LIMIT ?",
  );
  const textsOf = (sequence: number, ended: number | null): StoredPayload[] => {
    const places = ended === null || ended === sequence ? [sequence] : [sequence, ended];
    return places.flatMap((at) => payloads.all(at, at));
  };

  return {
    /** The last durable event; 0 in an empty log. */
    head: () => head.get() ?? 0,
    logId: () => logId.get() ?? '',
    /** In hex; `undefined` if the event does not exist or was pruned. */
    hashAt: (sequence: number) => hashAt.get(sequence),
    /** Events after `from`, up to `through`, in order. */
    after: (from: number, through: number, limit: number) => after.all(from, through, limit),
    payloads: (from: number, through: number) => payloads.all(from, through),
    /** Whether the stored payloads of these events contain a text, regardless of case. */
    contains(sequence: number, ended: number | null, text: string): boolean {
      const needle = text.toLowerCase();
      return textsOf(sequence, ended).some((stored) => stored.text.toLowerCase().includes(needle));
    },
    /** The beginnings of the newest stored payloads. */
    newestTexts: () => newestTexts.all(),
    /** The sequence of the event that began an execution's record. */
    openingOf: (executionId: string) => openingOf.get(executionId),
    /** A call's event; `undefined` if there is none. Throws for other events. */
    event(sequence: number): PlacedEvent | undefined {
      const body = bodyAt.get(sequence);
      if (body === undefined) return undefined;
      const event = parseEvent(body);
      if (!isCallEvent(event)) throw new Error(`event ${sequence} does not belong to a call`);
      return { sequence, event };
    },
    /** The record of these events; `undefined` if they were pruned. */
    record(sequence: number, ended: number | null): CallRecord | undefined {
      const first = this.event(sequence);
      const last = ended === null || ended === sequence ? [] : [this.event(ended)];
      if (first === undefined || last.includes(undefined)) return undefined;
      const texts = textsOf(sequence, ended).map(({ of, text, isCut }) => ({ of, text, isCut: isCut === 1 }));
      return callRecord([first, ...last.filter((event) => event !== undefined)], texts);
    },
    /** The lowest sequence above another. */
    firstAfter: (sequence: number) => firstAfter.get(sequence) ?? undefined,
    /** Openings after `from`, up to `through`, whose own text does not rule out a match. */
    openings: (filter: RecordFilter, from: number, through: number, limit: number) =>
      openings.all({
        from,
        through,
        limit,
        members: JSON.stringify(membersOf(filter)),
        since: filter.since ?? -Infinity,
        until: filter.until ?? Infinity,
      }),
    isEnd: (sequence: number, executionId: string) => endAt.get(sequence, executionId) !== undefined,
    isOpen: (executionId: string) => isOpen.get(executionId) !== undefined,
    /** The ends of executions after `from`, up to `through`. Reads every event in between. */
    endsOf: (executionIds: readonly string[], from: number, through: number) =>
      endsOf.all(from, through, JSON.stringify(executionIds)),
    events: (from: number, limit: number): { sequence: number; hash: string; event: AuditEvent }[] =>
      eventsFrom
        .all(from, limit)
        .map(({ sequence, hash, body }) => ({ sequence, hash, event: parseEvent(body) })),
  };
}

/** Returns the members that the canonical text of an opening must contain for its record to match. */
function membersOf({ skill, actor, executionId, parentId, tier, via }: RecordFilter): string[] {
  return Object.entries({ actor, executionId, id: skill, parentId, tier, via })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

interface StoredPayload {
  sequence: number;
  of: RecordedPayload['of'];
  text: string;
  isCut: number;
}
