import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/internal';
import { type AskedThread, askedThread, type Message, type Question } from '../../sqlite/asked-thread.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import type { AuditIndex, IndexedLog } from './audit-index.ts';

/** The start data of the thread. */
export interface ReaderStart extends IndexedLog {
  /** The file of the index in SQLite. */
  indexFile: string;
  /** The index is in this database instead. */
  postgres: Omit<PostgresSettings, 'password'> | null;
  /** How long a question waits for an index that is being built. */
  waitMs: number;
}

/** The questions to the reader thread, by name. */
type IndexQueries = Omit<AuditIndex, 'step' | 'close'>;

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
  return askedThread({
    ...{ program, start, onNote, finishes: false },
    ...(password && { port: () => answeringPort(password) }),
    unanswered: (state, cause) =>
      new SkillError('AUDIT_UNAVAILABLE', `the audit log ${start.file} cannot be read: ${why[state]}`, {
        cause,
      }),
  });
}

/** A port that answers each message with the password: threads have no access to secrets. */
function answeringPort(password: () => Promise<string>): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => {
    password().then(
      (value) => port1.postMessage({ value }),
      (error: unknown) => port1.postMessage({ failed: thrownText(error) }),
    );
  });
  port1.unref();
  return port2;
}
