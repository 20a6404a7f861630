import type { AuditReader } from '@ambit/core/audit';
import type { AuditStats, StatsQuery } from '@ambit/core/internal';
import Sqlite, { type Database, SqliteError } from 'better-sqlite3';
import { type FileIdentity, requireSame } from '../log/open-log-file.ts';
import { type EventIndexer, eventIndexer } from './indexer/index-events.ts';
import { type IndexParts, indexParts } from './indexer/index-parts.ts';
import { isUnwritable, openIndex, removeIndex, temporaryIndex } from './indexer/index-schema.ts';
import { type LogSource, logSource } from './indexer/log-source.ts';
import { type RecordFinder, recordFinder } from './query/find-records.ts';
import { indexStats } from './query/index-stats.ts';
import { type LogScanner, logScanner } from './query/scan-log.ts';
import { requireReadable } from './require-readable.ts';

/** A log, and the file of its index. */
export interface IndexedLog {
  file: string;
  indexFile: string;
  /** The identity of the opened file, to detect its replacement. */
  opened: FileIdentity | undefined;
}

/**
 * A log and its index, within the calling thread. Each call does a bounded amount of work, so that
 * other questions can be answered in between.
 */
export interface AuditIndex extends RecordFinder, LogScanner {
  /** The last durable event of the log. */
  head(): number;
  /** The last indexed event. */
  through(): number;
  /** Indexes some more events; returns the last indexed one. */
  step(): number;
  stats(query: StatsQuery, now: number): AuditStats;
  events(from: number, limit: number): Awaited<ReturnType<AuditReader['events']>>;
  /** Deletes an unusable index; the next steps rebuild it. */
  discard(): void;
  /** Rebuilds the index in a temporary file, and leaves the unwritable one unchanged. */
  leave(): void;
  close(): void;
}

/**
 * Opens a log to read it, and its index to update it. An index that does not belong to this log, or
 * is damaged, is deleted; `onDiscarded` gets the reason. Throws SQLite's error if the log cannot be
 * read.
 */
export function auditIndex(
  { file, indexFile, opened: identity }: IndexedLog,
  onDiscarded: (reason: string) => void,
): AuditIndex {
  requireSame(file, identity);
  const log = openLog(file);
  const source = logSource(log);
  let opened = openedIndex(source, indexFile, onDiscarded);
  return {
    head() {
      requireSame(file, identity);
      return source.head();
    },
    through: () => opened.parts.through(),
    step: () => opened.indexer.step(source.head()),
    query: (query) => opened.finder.query(query),
    count: (filter, before) => opened.finder.count(filter, before),
    scan: (filter, after, through) => opened.scanner.scan(filter, after, through),
    stats: (query, now) => opened.stats(query, now),
    events: source.events,
    discard() {
      opened.database.close();
      removeIndex(indexFile);
      opened = openedIndex(source, indexFile, onDiscarded);
    },
    leave() {
      opened.database.close();
      opened = over(source, temporaryIndex());
    },
    close() {
      opened.database.close();
      log.close();
    },
  };
}

/** Whether an error means that a database file is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

function openLog(file: string): Database {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  try {
    requireReadable(file, database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openedIndex(log: LogSource, file: string, onDiscarded: (reason: string) => void): Opened {
  let reason: string | undefined;
  try {
    const opened = over(log, openIndex(file));
    reason = whyUnusable(log, opened.database);
    if (reason === undefined) return opened;
    opened.database.close();
  } catch (error) {
    // A copy of a log can be in a read-only folder, and a log on a full disk.
    if (isUnwritable(error)) return over(log, temporaryIndex());
    if (!isDamage(error)) throw error;
    reason = `it is damaged (${(error as Error).message})`;
  }
  onDiscarded(reason);
  removeIndex(file);
  return over(log, openIndex(file));
}

interface Opened {
  database: Database;
  parts: IndexParts;
  indexer: EventIndexer;
  finder: RecordFinder;
  scanner: LogScanner;
  stats: ReturnType<typeof indexStats>;
}

function over(log: LogSource, database: Database): Opened {
  const parts = indexParts(database);
  return {
    database,
    parts,
    indexer: eventIndexer(log, parts),
    finder: recordFinder(parts, log),
    scanner: logScanner(database, log),
    stats: indexStats(parts),
  };
}

/**
 * Why an index does not belong to a log: the index may be of a copy, or the log may be an older
 * backup.
 */
function whyUnusable(log: LogSource, index: Database): string | undefined {
  const meta = new Map(index.prepare<[], [string, string]>('SELECT key, value FROM meta').raw().all());
  if (meta.size === 0) return undefined;
  if (meta.get('log_id') !== log.logId()) return 'it belongs to another log';
  const through = Number(meta.get('through'));
  if (through > log.head()) return 'it has more events than the log';
  const hash = log.hashAt(through)?.toString('hex');
  // Pruned events have no hash any more; the ones after them were compared before.
  if (hash !== undefined && hash !== meta.get('hash')) return 'the log was replaced';
  return undefined;
}
