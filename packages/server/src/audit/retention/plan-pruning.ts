import type { LogPruned } from '@ambit/core/audit';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from '../file/audit-error.ts';

/** The operator's retention policy. */
export interface PruneRules {
  /** Older parts are removed; `null`: no limit by age. */
  retentionDays: number | null;
  /** If the log is larger, its oldest parts are removed; `null`: no limit by size. */
  retentionBytes: number | null;
  /** Removes only stored inputs and outputs, or whole events. */
  prune: 'payloads' | 'events';
}

/**
 * The range that a pruning removes: everything of its kind up to and including an event. The log records it.
 */
export type PrunePlan = Pick<LogPruned, 'what' | 'through' | 'hash' | 'count'>;

/** The progress of a plan. */
export interface PlanProgress {
  what: PrunePlan['what'];
  /** The age limit: events before this time are removed, in milliseconds since the epoch; `null`: no limit by age. */
  cutoff: number | null;
  /** The bytes above the limit, and the bytes that the plan frees so far. */
  excessBytes: number;
  freedBytes: number;
  /** The last event to remove; 0 for none. */
  through: number;
  count: number;
  /** The last event that may be removed: before the first event of any open record. */
  last: number;
  isDone: boolean;
}

interface Row {
  sequence: number;
  time: number;
  bytes: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** The rows read at a time, which takes a few milliseconds. */
const rowsAtOnce = 1000;
/** The overhead of a row: keys, hashes and index entries. */
const rowBytes = 120;

/** Begins a plan. `now` is in milliseconds since the epoch. Takes constant time. */
export function beginPlan(database: Database, rules: PruneRules, now: number): PlanProgress {
  const { retentionDays, retentionBytes, prune } = rules;
  const open = database.prepare<[], number | null>('SELECT min(sequence) FROM open_records').pluck().get();
  return {
    what: prune,
    cutoff: retentionDays === null ? null : now - retentionDays * dayMs,
    excessBytes: retentionBytes === null ? 0 : Math.max(0, usedBytes(database) - retentionBytes),
    freedBytes: 0,
    through: prunedThrough(database, prune),
    count: 0,
    last: open == null ? Number.MAX_SAFE_INTEGER : open - 1,
    isDone: false,
  };
}

/**
 * Examines the next events, oldest first, and stops at the first one to retain: later ones are
 * retained too.
 */
export function continuePlan(database: Database, progress: PlanProgress): PlanProgress {
  const rows = database
    .prepare<[number, number, number], Row>(progress.what === 'payloads' ? payloadRows : eventRows)
    .all(progress.through, progress.last, rowsAtOnce);
  const next = { ...progress };
  for (const { sequence, time, bytes } of rows) {
    const goes = (next.cutoff !== null && time < next.cutoff) || next.freedBytes < next.excessBytes;
    if (!goes) return { ...next, isDone: true };
    next.through = sequence;
    next.freedBytes += bytes + rowBytes;
    next.count += 1;
  }
  return { ...next, isDone: rows.length < rowsAtOnce };
}

/**
 * The finished plan; `undefined` if there is nothing to remove. Events are only removed up to a
 * checkpoint.
 */
export function endPlan(database: Database, { what, through, count }: PlanProgress): PrunePlan | undefined {
  const before = prunedThrough(database, what);
  const end = what === 'payloads' ? through : checkpointBefore(database, through);
  if (count === 0 || end <= before) return undefined;
  const hash = database.prepare<[number], Buffer>('SELECT hash FROM log WHERE sequence = ?').pluck().get(end);
  if (hash === undefined) return undefined;
  return {
    what,
    through: end,
    hash: `sha256:${hash.toString('hex')}`,
    count: what === 'payloads' ? count : end - Math.max(before, firstSequence(database) - 1),
  };
}

/**
 * Returns the next range that these rules would remove. Changes nothing, and works while a daemon writes to the log.
 * `undefined` for nothing. Throws `AUDIT_UNAVAILABLE` if the log cannot be read.
 */
export function previewPruning(file: string, rules: PruneRules, now: number): PrunePlan | undefined {
  try {
    const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
    try {
      let progress = beginPlan(database, rules, now);
      while (!progress.isDone) progress = continuePlan(database, progress);
      return endPlan(database, progress);
    } finally {
      database.close();
    }
  } catch (error) {
    throw auditError(file, 'read', error);
  }
}

/** The last pruned sequence; 0 if nothing was pruned. */
export function prunedThrough(database: Database, what: PrunePlan['what']): number {
  const value = database
    .prepare<[string], string>('SELECT value FROM meta WHERE key = ?')
    .pluck()
    .get(`${what}_pruned_through`);
  return Number(value ?? 0);
}

const payloadRows = `
  SELECT sequence, json_extract(body, '$.time') AS time, octet_length(text) AS bytes
  FROM payloads JOIN log USING (sequence)
  WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`;

const eventRows = `
  SELECT sequence, json_extract(body, '$.time') AS time,
    octet_length(body) + coalesce(octet_length(text), 0) AS bytes
  FROM log LEFT JOIN payloads USING (sequence)
  WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`;

/** The size without free pages. */
function usedBytes(database: Database): number {
  const pages = (name: string): number => database.pragma(name, { simple: true }) as number;
  return (pages('page_count') - pages('freelist_count')) * pages('page_size');
}

function checkpointBefore(database: Database, sequence: number): number {
  const found = database
    .prepare<[number], number | null>('SELECT max(sequence) FROM checkpoints WHERE sequence <= ?')
    .pluck()
    .get(sequence);
  return found ?? 0;
}

function firstSequence(database: Database): number {
  return database.prepare<[], number | null>('SELECT min(sequence) FROM log').pluck().get() ?? 1;
}
