import type { ChainedEvent } from '@ambit/core/audit';
import Sqlite, { type Database } from 'better-sqlite3';
import { migrate } from '../log/migrations.ts';
import { prunedThrough } from '../retention/plan-pruning.ts';

/** A whole row of an event. */
export interface StoredEvent extends ChainedEvent {
  executionId: string | null;
  opens: number;
}

/** A payload stored beside an event. */
export interface StoredPayload {
  sequence: number;
  side: string;
  text: string;
}

/** The tables of a log, for reading all of them. */
export interface StoredLog {
  logId: string;
  /** The first and last event; `null` for an empty log. */
  extent: { first: number; last: number } | null;
  /** The last sequence whose payload was pruned according to the metadata, which proves nothing. */
  payloadsPrunedThrough: number;
  /** The same for whole events. */
  eventsPrunedThrough: number;
  /** The events after a sequence, in order, at most `limit`. */
  events(after: number, limit: number): StoredEvent[];
  payloads(after: number, through: number): StoredPayload[];
  checkpoints(): { sequence: number; signed: string }[];
  /** By key id: public keys in PEM, including former ones. */
  keys: ReadonlyMap<string, string>;
  openRecords(): Map<string, number>;
  /** By subject, like `LastDigests`. */
  lastDigests(): Map<string, string>;
  /** The first payload whose event neither exists nor was pruned. */
  strayPayload(last: number): number | undefined;
  /**
   * Tables, triggers and similar, as `trigger NAME`, that this version does not create, or creates
   * differently.
   */
  foreignParts(): string[];
  /** The texts of pruning events, the last one first. */
  prunings(): string[];
}

export function storedLog(database: Database): StoredLog {
  const events = database.prepare<[number, number], StoredEvent>(
    `SELECT sequence, execution_id AS executionId, opens, body, lower(hex(hash)) AS hash
     FROM log WHERE sequence > ? ORDER BY sequence LIMIT ?`,
  );
  const payloads = database.prepare<[number, number], StoredPayload>(
    'SELECT sequence, side, text FROM payloads WHERE sequence > ? AND sequence <= ? ORDER BY sequence',
  );
  const meta = database.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck();
  const extent = database
    .prepare<[], { first: number | null; last: number | null }>(
      'SELECT (SELECT min(sequence) FROM log) AS first, (SELECT max(sequence) FROM log) AS last',
    )
    .get();
  return {
    logId: meta.get('log_id') ?? '',
    extent: extent?.first == null || extent.last === null ? null : { first: extent.first, last: extent.last },
    payloadsPrunedThrough: prunedThrough(database, 'payloads'),
    eventsPrunedThrough: prunedThrough(database, 'events'),
    events: (after, limit) => events.all(after, limit),
    payloads: (after, through) => payloads.all(after, through),
    checkpoints: () =>
      database
        .prepare<[], { sequence: number; signed: string }>(
          'SELECT sequence, signed FROM checkpoints ORDER BY sequence',
        )
        .all(),
    keys: new Map(database.prepare<[], [string, string]>('SELECT key_id, public_key FROM keys').raw().all()),
    openRecords: () =>
      new Map(
        database.prepare<[], [string, number]>('SELECT execution_id, sequence FROM open_records').raw().all(),
      ),
    lastDigests: () =>
      new Map(database.prepare<[], [string, string]>('SELECT subject, digest FROM last_digests').raw().all()),
    strayPayload: (last) =>
      database
        .prepare<[number], number>('SELECT sequence FROM payloads WHERE sequence < 1 OR sequence > ? LIMIT 1')
        .pluck()
        .get(last),
    foreignParts: () => foreignParts(database),
    prunings: () =>
      database
        .prepare<[], string>(
          `SELECT body FROM log WHERE execution_id IS NULL AND instr(body, '"kind":"log.pruned"') ORDER BY sequence DESC`,
        )
        .pluck()
        .all(),
  };
}

/**
 * Missing parts are not reported: the triggers only prevent accidents, and removing them changes
 * nothing that is written.
 */
function foreignParts(database: Database): string[] {
  const fresh = new Sqlite(':memory:');
  try {
    migrate(fresh);
    const ours = new Map(parts(fresh).map(({ part, sql }) => [part, sql]));
    return parts(database)
      .filter(({ part, sql }) => ours.get(part) !== sql)
      .map(({ part }) => part);
  } finally {
    fresh.close();
  }
}

function parts(database: Database): { part: string; sql: string }[] {
  return database
    .prepare<[], { part: string; sql: string }>(
      "SELECT type || ' ' || name AS part, sql FROM sqlite_schema WHERE sql IS NOT NULL",
    )
    .all();
}
