import type { AuditReader, ReadNodeEvents } from '@ambit/core/audit';
import { identify } from '../../sqlite/file-identity.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import { requireLog } from '../log/open-readonly.ts';
import type { NodeLog } from './cluster/node-log.ts';
import type { DaemonEventPage, DaemonEventQuery } from './daemon-events.ts';
import type { LogChain } from './log-chain.ts';
import { readerThread } from './reader-thread.ts';
import { indexFileOf } from './sqlite/index-file.ts';

export interface ReadAuditLogOptions {
  file: string;
  /** Gets sentences for the operator, such as why an index is rebuilt. */
  onNote?: (note: string) => void;
  /** The time that a query waits for an index that is being built, in milliseconds. */
  waitMs?: number;
  /** The index is in this database instead of a file. */
  postgres?: PostgresSettings | null;
  /** The node of the log: queries then find the records of all nodes of the cluster. Needs `postgres`. */
  node?: NodeLog | null;
}

/** Answers queries from the index, and reports its progress. */
export interface IndexedReader extends AuditReader {
  /** The last indexed event, without waiting. */
  indexedThrough(): Promise<number>;
  /** Events outside calls, newest first. In a cluster, only the events of this node. */
  daemonEvents(query: DaemonEventQuery): Promise<DaemonEventPage>;
  /** The state of this log's chain, without verifying it. */
  chain(): Promise<LogChain>;
  /** See `AuditIndex`; absent without a cluster. */
  eventsOfNodes?: ReadNodeEvents | undefined;
}

/**
 * Opens an audit log read-only, also while a daemon writes to it, without delaying the daemon.
 * Queries use an index beside the log (`audit-index.db`) or in PostgreSQL, which is built if necessary and updated
 * to the last durable event before each query. A separate thread does that from the first query on;
 * it does not keep the process alive.
 *
 * Rejects with `AUDIT_UNAVAILABLE` if there is no log, or one of another version. A query rejects
 * too if it would wait longer than `waitMs`.
 */
export async function readAuditLog({
  file,
  onNote = () => undefined,
  waitMs = 30_000,
  postgres = null,
  node = null,
}: ReadAuditLogOptions): Promise<IndexedReader> {
  requireLog(file);
  const { password, ...settings } = postgres ?? {};
  const start = {
    file,
    opened: identify(file),
    indexFile: indexFileOf(file),
    waitMs,
    node,
    postgres: postgres === null ? null : (settings as Omit<PostgresSettings, 'password'>),
  };
  const thread = readerThread(start, password, onNote);
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
    indexedThrough: async () => Math.max(0, await thread.ask('through')),
    daemonEvents: (query) => thread.ask('daemonEvents', query),
    chain: () => thread.ask('chain'),
    events: (from, limit) => thread.ask('events', from, limit),
    eventsOfNodes: node === null ? undefined : (after, limit) => thread.ask('eventsOfNodes', after, limit),
    close: () => thread.close(),
  };
}
