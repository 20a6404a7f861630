import { SkillError } from '@ambit/core';
import { type AskedThread, type Message, type Question, queryThread } from '../../sqlite/query-thread.ts';
import { passwordPort } from '../../store/postgres/password-port.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import type { AuditIndex, IndexedLog } from './audit-index.ts';
import type { NodeLog } from './cluster/node-log.ts';

/** The start data of the thread. */
export interface ReaderStart extends IndexedLog {
  /** The file of the index in SQLite. */
  indexFile: string;
  /** The index is in this database instead. */
  postgres: Omit<PostgresSettings, 'password'> | null;
  /** The node whose log it is; `null` without a cluster. */
  node: NodeLog | null;
  /** The time that a question waits for an index that is being built. */
  waitMs: number;
}

/** The questions to the reader thread, by name. */
type IndexQueries = Omit<AuditIndex, 'step' | 'close' | 'needed'>;

export type IndexQuestion = Question<IndexQueries>;
export type IndexMessage = Message<IndexQueries>;

// The same file, from source or built.
const program = new URL(
  `./reader-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/** Pending questions are refused when it is closed. `onNote` gets notes for the operator. */
export function readerThread(
  start: ReaderStart,
  password: PostgresSettings['password'],
  onNote: (note: string) => void,
): AskedThread<IndexQueries> {
  const why = {
    ended: 'its reader thread ended; try again',
    closed: 'it is closed because Ambit is shutting down',
  };
  return queryThread({
    program,
    start,
    onNote,
    finishes: false,
    port: password && (() => passwordPort(password)),
    unanswered: (state, cause) =>
      new SkillError('AUDIT_UNAVAILABLE', `the audit log ${start.file} cannot be read: ${why[state]}`, {
        cause,
      }),
  });
}
