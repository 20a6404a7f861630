import type { CallEvent, Flaw } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { isDamage } from '../index/audit-index.ts';
import { type Entry, endEntry, entryOf, eventIn } from '../index/indexer/index-events.ts';
import { indexFileOf, lookAtIndex } from '../index/indexer/index-schema.ts';
import { fieldsOf } from '../index/indexer/shapes.ts';
import { textIndex } from '../index/indexer/text-index.ts';
import { unlikeSums } from './index-sums.ts';
import type { StoredLog } from './stored-log.ts';

/** The sequences up to which a log's events and payloads have been pruned. */
interface Pruned {
  events: number;
  payloads: number;
}

/** The index beside a log, at one moment. */
export interface IndexCheck {
  /** `undefined` where there is no index of this log; the next query makes one. */
  compare(log: StoredLog, pruned: Pruned): Comparison | undefined;
  close(): void;
}

/** The result of comparing an index: the last event it covers, and the first record that it has wrong. */
interface Comparison {
  through: number;
  flaw: Flaw | undefined;
}

interface StoredRecord {
  time: number;
  ended: number | null;
  durationMs: number | null;
  unknown: string | null;
  parentId: string | null;
  fields: string;
}

const pageEvents = 2000;

/** Opens the index beside a log. Call it before the log's own transaction begins: then the log has everything that the index has. */
export function indexCheck(logFile: string): IndexCheck {
  let found: Database | undefined;
  let damage: Comparison | undefined;
  const unlessDamaged = <T>(use: () => T): T | undefined => {
    try {
      return use();
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage = { through: 0, flaw: flawed(null, `the index is damaged (${(error as Error).message})`) };
      return undefined;
    }
  };
  unlessDamaged(() => {
    found = lookAtIndex(indexFileOf(logFile));
  });
  return {
    compare: (log, pruned) =>
      unlessDamaged(() => (found === undefined ? undefined : compareIndex(found, log, pruned))) ?? damage,
    close: () => found?.close(),
  };
}

/**
 * Compares an index with its log, record by record, and its sums with its records. Returns `undefined` for an index of another
 * log or of a replaced history of this one; the next reader discards it.
 *
 * It does not compare percentiles. Of payloads it checks that each is indexed, not the words.
 */
function compareIndex(index: Database, log: StoredLog, pruned: Pruned): Comparison | undefined {
  const through = Number(metaOf(index, 'through') ?? 0);
  if (!follows(index, log, through, pruned)) return undefined;
  const records = recordCheck(index, pruned);
  const open = new Map<string, Entry>();
  let compared = 0;
  const flaw = (): Flaw | undefined => {
    for (let after = pruned.events; after < through; ) {
      const page = log.events(after, pageEvents).filter(({ sequence }) => sequence <= through);
      for (const { sequence, body } of page) {
        const event = eventIn(body);
        if (event === undefined || !('executionId' in event)) continue;
        const entry = open.get(event.executionId) ?? entryOf(sequence, event);
        // The event that opened the record was pruned, and the record with it.
        if (entry === undefined) continue;
        open.set(event.executionId, entry);
        const untold = records.compareText(entry, sequence, event);
        if (untold !== undefined) return untold;
        if (event.kind === 'call.started') continue;
        open.delete(event.executionId);
        endEntry(entry, sequence, event);
        compared += 1;
        const unlike = records.compare(entry);
        if (unlike !== undefined) return unlike;
      }
      after = page.at(-1)?.sequence ?? through;
    }
    for (const entry of open.values()) {
      compared += 1;
      const unlike = records.compare(entry);
      if (unlike !== undefined) return unlike;
    }
    if (records.count() !== compared) return flawed(null, 'the index has records that the log does not have');
    const sums = unlikeSums(index);
    return sums === undefined ? undefined : flawed(null, sums);
  };
  return { through, flaw: flaw() };
}

function follows(index: Database, log: StoredLog, through: number, pruned: Pruned): boolean {
  if (through === 0 || metaOf(index, 'log_id') !== log.logId) return false;
  // What was pruned has no hash any more; what follows it has been seen to follow.
  if (through <= pruned.events) return true;
  const [last] = log.events(through - 1, 1);
  return last?.sequence === through && last.hash === metaOf(index, 'hash');
}

function metaOf(index: Database, key: string): string | undefined {
  return index.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key);
}

/** Looks records up as they come. */
function recordCheck(index: Database, pruned: Pruned) {
  const find = index.prepare<[number], StoredRecord>(
    `SELECT time, ended, duration_ms AS durationMs, unknown, parent_id AS parentId, fields
     FROM records JOIN shapes ON shapes.id = shape WHERE sequence = ?`,
  );
  const count = index.prepare<[number], number>('SELECT count(*) FROM records WHERE sequence > ?').pluck();
  const texts = textIndex(index);
  return {
    compare(entry: Entry): Flaw | undefined {
      const { sequence } = entry;
      const found = find.get(sequence);
      if (found === undefined)
        return flawed(sequence, `the index lacks the record that event ${sequence} opens`);
      if (!isLike(found, entry))
        return flawed(sequence, `the index and the log differ on the record that event ${sequence} opens`);
      return undefined;
    },
    /** What an event says was kept has been found in the log. */
    compareText({ sequence }: Entry, at: number, event: CallEvent): Flaw | undefined {
      if (!('kept' in event) || at <= pruned.payloads) return undefined;
      if (texts.has(sequence, event.kind === 'call.started' ? 'input' : 'output')) return undefined;
      return flawed(sequence, `the index lacks what was kept of the record that event ${sequence} opens`);
    },
    count: () => count.get(pruned.events) ?? 0,
  };
}

function isLike(found: StoredRecord, { shape, time, ended, durationMs, parentId }: Entry): boolean {
  const { isUnknown, skill } = shape;
  return (
    found.time === time &&
    found.ended === ended &&
    found.durationMs === durationMs &&
    found.unknown === (isUnknown ? skill : null) &&
    found.parentId === parentId &&
    found.fields === fieldsOf({ ...shape, skill: isUnknown ? null : skill })
  );
}

function flawed(sequence: number | null, what: string): Flaw {
  return {
    reason: 'index',
    sequence,
    message: `${what}. Queries may be wrong; the log and exports are intact. Stop Ambit and delete the index; the next query makes a new one`,
  };
}
