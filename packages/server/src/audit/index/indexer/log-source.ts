import { type AuditEvent, type CallRecord, callRecord } from '@ambit/core/audit';
import { isCallEvent, type RecordedPayload, type RecordFilter } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { parseEvent } from '../../log/event-row.ts';

/** An event as stored in the log. */
interface StoredEvent {
  sequence: number;
  body: string;
}

/** The first event of a record. */
export interface Opening {
  sequence: number;
  executionId: string;
  /** Whether another event ends it. A request refused before routing has one event only. */
  isCall: boolean;
}

/** Queries on `audit.db`, which is never written here. */
export interface LogSource {
  /** The last durable event; 0 in an empty log. */
  head(): number;
  logId(): string;
  /** The hash at a sequence; `undefined` if the event does not exist or was pruned. */
  hashAt(sequence: number): Buffer | undefined;
  /** Events after `from`, up to `through`, in order. */
  after(from: number, through: number, limit: number): StoredEvent[];
  payloads(from: number, through: number): (RecordedPayload & { sequence: number })[];
  /** Whether the stored payloads of these events contain a text, regardless of case. */
  keeps(sequence: number, ended: number | null, text: string): boolean;
  /** A sample of stored texts from the whole log, at most that many. */
  someTexts(max: number): string[];
  /** The event that opened an execution's record. */
  openingOf(executionId: string): number | undefined;
  /** The lowest sequence above another. */
  firstAfter(sequence: number): number | undefined;
  /**
   * Openings after `from`, up to `through`, whose own text does not rule out a match; their records
   * must be compared.
   */
  openings(filter: RecordFilter, from: number, through: number, limit: number): Opening[];
  /** Whether the event at a sequence ends the record of an execution. */
  isEnd(sequence: number, executionId: string): boolean;
  /** Whether the record of an execution is open. */
  isOpen(executionId: string): boolean;
  /** The ends of executions after `from`, up to `through`. Reads every event in between. */
  endsOf(
    executionIds: readonly string[],
    from: number,
    through: number,
  ): { sequence: number; executionId: string }[];
  /** The record of these events; `undefined` if they were pruned. */
  record(sequence: number, ended: number | null): CallRecord | undefined;
  events(from: number, limit: number): { sequence: number; hash: string; event: AuditEvent }[];
}

export function logSource(log: Database): LogSource {
  const head = log.prepare<[], number>('SELECT sequence FROM log ORDER BY sequence DESC LIMIT 1').pluck();
  const logId = log.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck();
  const hashAt = log.prepare<[number], Buffer>('SELECT hash FROM log WHERE sequence = ?').pluck();
  const bodyAt = log.prepare<[number], string>('SELECT body FROM log WHERE sequence = ?').pluck();
  const after = log.prepare<[number, number, number], StoredEvent>(
    'SELECT sequence, body FROM log WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?',
  );
  const payloads = log.prepare<[number, number], StoredPayload>(
    'SELECT sequence, side AS "of", text, is_cut AS isCut FROM payloads WHERE sequence >= ? AND sequence <= ? ORDER BY sequence',
  );
  const payloadAt = log.prepare<[number], StoredPayload>(
    'SELECT sequence, side AS "of", text, is_cut AS isCut FROM payloads WHERE sequence = ?',
  );
  const textAt = log.prepare<[number], string>('SELECT text FROM payloads WHERE sequence = ?').pluck();
  const textFrom = log
    .prepare<[number], string>('SELECT text FROM payloads WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1')
    .pluck();
  const lastText = log.prepare<[], number | null>('SELECT max(sequence) FROM payloads').pluck();
  const openingOf = log
    .prepare<[string], number>('SELECT sequence FROM log WHERE execution_id = ? AND opens = 1')
    .pluck();
  const firstAfter = log
    .prepare<[number], number | null>('SELECT min(sequence) FROM log WHERE sequence > ?')
    .pluck();
  const openings = log.prepare<[Record<string, unknown>], Omit<Opening, 'isCall'> & { isCall: number }>(
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
  const eventsFrom = log.prepare<[number, number], StoredEvent & { hash: Buffer }>(
    'SELECT sequence, body, hash FROM log WHERE sequence >= ? ORDER BY sequence LIMIT ?',
  );

  return {
    head: () => head.get() ?? 0,
    logId: () => logId.get() ?? '',
    hashAt: (sequence) => hashAt.get(sequence),
    after: (from, through, limit) => after.all(from, through, limit),
    payloads: (from, through) => payloads.all(from, through).map(toPayload),
    keeps(sequence, ended, text) {
      const sought = text.toLowerCase();
      return [sequence, ended].some(
        (at) => at !== null && textAt.get(at)?.toLowerCase().includes(sought) === true,
      );
    },
    someTexts(max) {
      const last = lastText.get() ?? 0;
      // Not at equal distances: inputs and outputs alternate, so one kind could be all that is
      // sampled.
      const found = Array.from({ length: Math.min(max, last) }, (_, at) =>
        textFrom.get(1 + Math.floor(((at * goldenRatio) % 1) * last)),
      );
      return found.filter((text) => text !== undefined);
    },
    openingOf: (executionId) => openingOf.get(executionId),
    firstAfter: (sequence) => firstAfter.get(sequence) ?? undefined,
    openings: (filter, from, through, limit) =>
      openings
        .all({
          ...{ from, through, limit, members: JSON.stringify(membersOf(filter)) },
          since: filter.since ?? -Infinity,
          until: filter.until ?? Infinity,
        })
        .map(({ isCall, ...opening }) => ({ ...opening, isCall: isCall === 1 })),
    isEnd: (sequence, executionId) => endAt.get(sequence, executionId) !== undefined,
    isOpen: (executionId) => isOpen.get(executionId) !== undefined,
    endsOf: (executionIds, from, through) => endsOf.all(from, through, JSON.stringify(executionIds)),
    record(sequence, ended) {
      const events = [];
      const texts = [];
      for (const at of ended === null || ended === sequence ? [sequence] : [sequence, ended]) {
        const body = bodyAt.get(at);
        if (body === undefined) return undefined;
        const event = parseEvent(body);
        if (!isCallEvent(event)) throw new Error(`event ${at} does not belong to a call`);
        events.push({ sequence: at, event });
        const payload = payloadAt.get(at);
        if (payload !== undefined) {
          const { sequence: _, ...text } = toPayload(payload);
          texts.push(text);
        }
      }
      return callRecord(events, texts);
    },
    events: (from, limit) =>
      eventsFrom.all(from, limit).map(({ sequence, hash, body }) => ({
        sequence,
        hash: `sha256:${hash.toString('hex')}`,
        event: parseEvent(body),
      })),
  };
}

/**
 * What the canonical text of an opening must contain for its record to match. Not `via`: older
 * events name it `door`.
 */
function membersOf({ skill, actor, executionId, parentId, tier }: RecordFilter): string[] {
  const members = { actor, executionId, id: skill, parentId, tier };
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

/** Its multiples are evenly distributed modulo 1, without a period. */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

interface StoredPayload {
  sequence: number;
  of: RecordedPayload['of'];
  text: string;
  isCut: number;
}

function toPayload({ isCut, ...payload }: StoredPayload): RecordedPayload & { sequence: number } {
  return { ...payload, isCut: isCut === 1 };
}
