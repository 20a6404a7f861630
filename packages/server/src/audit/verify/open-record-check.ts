import type { EventFacts, Flaw } from '@ambit/core/internal';
import type { StoredLog } from './stored-log.ts';

/** Compares the list of records that have no end with the one that follows from the events. */
export interface OpenRecordCheck {
  see(sequence: number, facts: EventFacts): Flaw | undefined;
  /** What is wrong once all events have been seen. */
  afterwards(): Flaw | undefined;
}

/** `isPruned`: events may end records that began with one which is not there any more. */
export function openRecordCheck(log: StoredLog, isPruned: boolean): OpenRecordCheck {
  const open = new Map<string, number>();
  return {
    see(sequence, { kind, executionId }) {
      if (executionId === null) return undefined;
      if (kind === 'call.started') open.set(executionId, sequence);
      else if (closing.has(kind) && !open.delete(executionId) && !isPruned)
        return flaw(sequence, `event ${sequence} ends a record that had no beginning, or two ends`);
      return undefined;
    },
    afterwards() {
      const listed = log.openRecords();
      for (const [executionId, sequence] of open) {
        if (listed.get(executionId) !== sequence)
          return flaw(
            sequence,
            `the record that event ${sequence} opens has no end and is not listed as open`,
          );
      }
      for (const [executionId, sequence] of listed) {
        if (!open.has(executionId))
          return flaw(
            null,
            `a record is listed as open (${executionId}, event ${sequence}) that has an end or no beginning`,
          );
      }
      return undefined;
    },
  };
}

const closing: ReadonlySet<string> = new Set(['call.finished', 'call.denied', 'call.interrupted']);

function flaw(sequence: number | null, message: string): Flaw {
  return { reason: 'open-records', sequence, message };
}
