import type { EventFacts, Flaw } from '@ambit/core/audit';
import type { StoredLog } from './stored-log.ts';

/** Compares the list of open records with the events. */
export interface OpenRecordCheck {
  see(sequence: number, facts: EventFacts): Flaw | undefined;
  /** The flaw after all events. */
  afterwards(): Flaw | undefined;
}

/** `isPruned`: events may end records whose beginning was pruned. */
export function openRecordCheck(log: StoredLog, isPruned: boolean): OpenRecordCheck {
  const open = new Map<string, number>();
  return {
    see(sequence, { kind, executionId }) {
      if (executionId === null) return undefined;
      if (kind === 'call.started') open.set(executionId, sequence);
      else if (closing.has(kind) && !open.delete(executionId) && !isPruned)
        return flaw(sequence, `event ${sequence} ends a record that never began or already ended`);
      return undefined;
    },
    afterwards() {
      const listed = log.openRecords();
      for (const [executionId, sequence] of open) {
        if (listed.get(executionId) !== sequence)
          return flaw(
            sequence,
            `the record that event ${sequence} begins has no end, but is not in the list of open records`,
          );
      }
      for (const [executionId, sequence] of listed) {
        if (!open.has(executionId))
          return flaw(
            null,
            `the list of open records has ${executionId} (event ${sequence}), which has an end or no beginning`,
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
