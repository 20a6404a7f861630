import { isCallEvent } from '@ambit/core/audit';
import type { AuditObserver } from '../../audit/audit-observer.ts';
import { eventual } from '../../jobs/eventual.ts';
import { withinTime } from '../../within-time.ts';

/** Tracks the records of running executions, so that shutdown can wait for the last one. */
export interface OpenRecords extends AuditObserver {
  /** Resolves when the end of every started record is in the log or cannot be written. */
  settled(): Promise<void>;
}

/** Starts with no open records. */
export function openRecords(): OpenRecords {
  const open = new Set<string>();
  let whenSettled = eventual<void>();
  const ended = (executionId: string): void => {
    if (open.delete(executionId) && open.size === 0) {
      whenSettled.resolve();
      whenSettled = eventual();
    }
  };
  return {
    onRecorded(event) {
      if (!isCallEvent(event)) return;
      if (event.kind === 'call.started') open.add(event.executionId);
      else ended(event.executionId);
    },
    onFailed(event) {
      if (isCallEvent(event) && event.kind !== 'call.started') ended(event.executionId);
    },
    settled: () => (open.size === 0 ? Promise.resolve() : whenSettled.promise()),
  };
}

/** The time to wait for canceled calls. */
const settleMs = 10_000;

/**
 * Waits for canceled calls, which end within moments. The records of calls that have not ended by then are closed as
 * interrupted at the next start.
 */
export async function settledSoon({ settled }: Pick<OpenRecords, 'settled'>): Promise<void> {
  await withinTime(settleMs, settled());
}
