import type { ErrorOnTheWire } from '../log/writer-protocol.ts';
import type { AuditIndex, IndexedLog } from './audit-index.ts';

/** The questions to the reader thread, by name. */
export type IndexQueries = Pick<
  AuditIndex,
  'query' | 'count' | 'scan' | 'stats' | 'events' | 'head' | 'through'
>;

/** The start data of the thread. */
export interface ReaderStart extends IndexedLog {
  /** How long a question waits for an index that is being built. */
  waitMs: number;
}

export type Question = {
  [Name in keyof IndexQueries]: { id: number; ask: Name; with: Parameters<IndexQueries[Name]> };
}[keyof IndexQueries];

/** An answer with its question's number, or a note for the operator. */
export type ReaderMessage =
  | { id: number; answer: unknown }
  | { id: number; refused: ErrorOnTheWire }
  | { note: string };
