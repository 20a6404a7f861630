import type {
  AuditStats,
  CallRecord,
  NodeEvents,
  NodePosition,
  RecordFilter,
  StatsQuery,
} from '@ambit/core/audit';
import type { FileIdentity } from '../../sqlite/file-identity.ts';
import { requireSame } from '../log/open-log-file.ts';
import { openReadonly } from '../log/open-readonly.ts';
import { daemonEvents } from './daemon-events.ts';
import { recordFinder } from './find-records.ts';
import { logChain } from './log-chain.ts';
import type { LogIndex } from './log-index.ts';
import { type LogSource, logSource } from './log-source.ts';
import { logScanner } from './scan-log.ts';

/** A log. */
export interface IndexedLog {
  file: string;
  /** The identity of the opened file, to detect its replacement. */
  opened: FileIdentity | undefined;
}

/** Records that a scan found, and after which event the next scan continues; `null` at the end. */
interface RecordPage {
  records: CallRecord[];
  after: number | null;
}

/**
 * A log and its index, within the calling thread. Each call does a bounded amount of work, so that
 * other questions can be answered in between.
 */
export interface AuditIndex extends ReturnType<typeof recordFinder> {
  scan(filter: RecordFilter, after: number, through: number): RecordPage | Promise<RecordPage>;
  stats(query: StatsQuery, now: number): Promise<AuditStats>;
  events: LogSource['events'];
  daemonEvents: ReturnType<typeof daemonEvents>;
  chain: ReturnType<typeof logChain>;
  /** Only in a cluster: the next events of all nodes, about in the order of their times; without `after`, none but where they end. */
  eventsOfNodes(after: NodePosition | null, limit: number): NodeEvents | Promise<NodeEvents>;
  /** The end of an export that begins now. */
  head(): number | Promise<number>;
  /** The position that `through` must reach for an answer that has everything. */
  needed(): number | Promise<number>;
  /** The position of the last indexed event. */
  through(): number;
  /** Indexes some more events. */
  step(): Promise<unknown>;
  close(): void;
}

/** Opens a log to read it, and its index to update it. Throws SQLite's error if the log cannot be read. */
export function auditIndex(
  { file, opened }: IndexedLog,
  openIndex: (log: LogSource) => LogIndex,
): AuditIndex {
  requireSame(file, opened);
  const database = openReadonly(file);
  const log = logSource(database);
  const index = openIndex(log);
  /** The last durable event of the log. */
  const head = (): number => {
    requireSame(file, opened);
    return log.head();
  };
  return {
    ...recordFinder(index.calls, {
      openingOf: log.openingOf,
      contains: ({ sequence, ended }, text) => log.contains(sequence, ended, text),
      record: ({ sequence, ended }) => log.record(sequence, ended),
    }),
    ...logScanner(log, index.suggestedEnd),
    stats: async (query: StatsQuery, now: number): Promise<AuditStats> => index.stats(query, now),
    events: log.events,
    daemonEvents: daemonEvents(database),
    chain: logChain(database),
    eventsOfNodes: () => {
      throw new Error('this log belongs to no cluster');
    },
    head,
    needed: head,
    through: index.through,
    step: async (): Promise<unknown> => index.step(log.head()),
    close(): void {
      index.close();
      database.close();
    },
  };
}
