import { SkillError } from '@ambit/core';
import { type AskedThread, askedThread, type Question } from '../../sqlite/asked-thread.ts';
import type { AuditIndex, IndexedLog } from './audit-index.ts';

/** The start data of the thread. */
export interface ReaderStart extends IndexedLog {
  /** How long a question waits for an index that is being built. */
  waitMs: number;
}

/** The questions to the reader thread, by name. */
type IndexQueries = Omit<AuditIndex, 'step' | 'close'>;

export type IndexQuestion = Exclude<Question<IndexQueries>, 'close'>;

// The same file, from source or built.
const program = new URL(
  `./reader-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/** Pending questions are refused when it is closed. `onNote` gets notes for the operator. */
export function readerThread(start: ReaderStart, onNote: (note: string) => void): AskedThread<IndexQueries> {
  const why = {
    ended: 'its reader thread ended; try again',
    closed: 'it is closed because Ambit is shutting down',
  };
  return askedThread({
    ...{ program, start, onNote, finishes: false },
    unanswered: (state, cause) =>
      new SkillError('AUDIT_UNAVAILABLE', `the audit log ${start.file} cannot be read: ${why[state]}`, {
        cause,
      }),
  });
}
