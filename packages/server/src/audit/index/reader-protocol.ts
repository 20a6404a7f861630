import type { ErrorOnTheWire } from '../log/writer-protocol.ts';
import type { AuditIndex, IndexedLog } from './audit-index.ts';

/** What the reader thread is asked, by name. */
export type IndexQueries = Pick<
  AuditIndex,
  'query' | 'count' | 'scan' | 'stats' | 'events' | 'head' | 'through'
>;

/** What the thread is started with. */
export interface ReaderStart extends IndexedLog {
  /** How long a question waits for an index that is being made. */
  waitMs: number;
}

export type Question = {
  [Name in keyof IndexQueries]: { id: number; ask: Name; with: Parameters<IndexQueries[Name]> };
}[keyof IndexQueries];

/** An answer by its question's number, or what is to be told whoever runs Ambit. */
export type ReaderMessage =
  | { id: number; answer: unknown }
  | { id: number; refused: ErrorOnTheWire }
  | { note: string };
