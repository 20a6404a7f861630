import type { AuditReader } from '@ambit/core/audit';
import { identify } from '../log/open-log-file.ts';
import { indexFileOf } from './indexer/index-schema.ts';
import { readerThread } from './reader-thread.ts';
import { requireLog } from './require-readable.ts';

export interface ReadAuditLogOptions {
  file: string;
  /** Told what whoever runs Ambit should know, in words: that an index is made anew, and why. */
  onNote?: (note: string) => void;
  /** How long a question waits for an index that is being made, in milliseconds. */
  waitMs?: number;
}

/** Answers from the index, and says how far that is. */
export interface IndexedReader extends AuditReader {
  /** The last event that the index has, without waiting for more. */
  indexedThrough(): Promise<number>;
}

/**
 * Opens an audit log only to read it, which works while a daemon writes to it and never makes that one wait. What is
 * asked for is looked up in an index beside the log (`audit-index.db`), which is made of the log when it is not there
 * and brought forward to all that is durable before a question is answered. A thread of its own does that, from the
 * first question on; it does not keep the process alive.
 *
 * Rejects with `AUDIT_UNAVAILABLE` when there is no log, or one of another version; so does a question that would have
 * to wait longer than `waitMs`.
 */
export async function readAuditLog({
  file,
  onNote = () => undefined,
  waitMs = 30_000,
}: ReadAuditLogOptions): Promise<IndexedReader> {
  requireLog(file);
  const thread = readerThread({ file, indexFile: indexFileOf(file), opened: identify(file), waitMs }, onNote);
  return {
    query: (query) => thread.ask('query', query),
    async count(filter) {
      let [count, before]: [number, number | null] = [0, Number.MAX_SAFE_INTEGER];
      while (before !== null) {
        const part: { count: number; next: number | null } = await thread.ask('count', filter, before);
        count += part.count;
        before = part.next;
      }
      return count;
    },
    stats: (query) => thread.ask('stats', query, Date.now()),
    async *export(filter) {
      const through = await thread.ask('head');
      for (let after: number | null = 0; after !== null; ) {
        const page: Awaited<ReturnType<typeof thread.ask<'scan'>>> = await thread.ask(
          'scan',
          filter,
          after,
          through,
        );
        yield* page.records;
        after = page.after;
      }
    },
    indexedThrough: () => thread.ask('through'),
    events: (from, limit) => thread.ask('events', from, limit),
    close: () => thread.close(),
  };
}
