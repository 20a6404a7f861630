import type { AuditReader } from '@ambit/core/audit';
import type { AuditStats, StatsQuery } from '@ambit/core/internal';
import Sqlite, { type Database, SqliteError } from 'better-sqlite3';
import { type FileIdentity, requireSame } from '../log/open-log-file.ts';
import { type EventIndexer, eventIndexer } from './indexer/index-events.ts';
import { type IndexParts, indexParts } from './indexer/index-parts.ts';
import { isUnwritable, openIndex, removeIndex, temporaryIndex } from './indexer/index-schema.ts';
import { type LogSource, logSource } from './log-source.ts';
import { type RecordFinder, recordFinder } from './query/find-records.ts';
import { indexStats } from './query/index-stats.ts';
import { type LogScanner, logScanner } from './query/scan-log.ts';
import { requireReadable } from './require-readable.ts';

/** Which log, and where its index is kept. */
export interface IndexedLog {
  file: string;
  indexFile: string;
  /** The file that is meant, whatever lies at its path later. */
  opened: FileIdentity | undefined;
}

/** A log and its index, in the thread that asks: each call is bounded, so that others can be answered in between. */
export interface AuditIndex extends RecordFinder, LogScanner {
  /** The last event that is durable in the log. */
  head(): number;
  /** The last event that is in the index. */
  through(): number;
  /** Takes in some more events; returns where the index stands then. */
  step(): number;
  stats(query: StatsQuery, now: number): AuditStats;
  events(from: number, limit: number): Awaited<ReturnType<AuditReader['events']>>;
  /** Throws the index away, for it is of no use as it is; the next steps make it again. */
  discard(): void;
  /** Makes the index again in a temporary file, and leaves the one that cannot be written as it is. */
  leave(): void;
  close(): void;
}

/**
 * Opens a log for reading and its index for keeping. An index that does not follow from this log is thrown away, and so
 * is one that is damaged: `onDiscarded` is told why. Throws what SQLite throws where the log cannot be read.
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

/** Whether an error says that a database file is damaged, whichever it is. */
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
    reason = whyStrange(log, opened.database);
    if (reason === undefined) return opened;
    opened.database.close();
  } catch (error) {
    // A copy of a log can be read from anywhere, and a log on a full disk too.
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

/** Why an index does not follow from a log: it may be a copy's, or the log may have been put back to a former state. */
function whyStrange(log: LogSource, index: Database): string | undefined {
  const meta = new Map(index.prepare<[], [string, string]>('SELECT key, value FROM meta').raw().all());
  if (meta.size === 0) return undefined;
  if (meta.get('log_id') !== log.logId()) return 'it is of another log';
  const through = Number(meta.get('through'));
  if (through > log.head()) return 'it knows more than the log';
  const hash = log.hashAt(through)?.toString('hex');
  // What was pruned has no hash any more; what stands behind it has been seen to follow.
  if (hash !== undefined && hash !== meta.get('hash')) return 'the log is not the one that it was made of';
  return undefined;
}
