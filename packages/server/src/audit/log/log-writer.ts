import { SkillError } from '@ambit/core';
import type { AuditPosition, EventReceipt, Receipt, Signed } from '@ambit/core/audit';
import type { PrunableLog } from '../retention/prune-log.ts';
import { type EventBatchesOptions, eventBatches } from './event-batches.ts';
import type { EventRow } from './event-row.ts';
import type { SpaceLevel } from './log-space.ts';
import type { LastDigests } from './writer-protocol.ts';
import { type WriterThread, type WriterThreadOptions, writerThread } from './writer-thread.ts';

/** Collects events into batches, each one transaction of the writer thread. */
export interface LogWriter extends Pick<PrunableLog, 'planPruning' | 'prune'> {
  /**
   * Resolves once the event is durable. The order of calls is the order in the log. An event that
   * `mayWait` is written with the next one, or after a few milliseconds.
   */
  append(row: EventRow, mayWait?: boolean): Promise<AuditPosition>;
  /** The executions without an end, oldest first. */
  openExecutions(): Promise<string[]>;
  /**
   * Resolves if the log can be written: its file exists, and the last write worked or a test write
   * does now.
   */
  probe(): Promise<void>;
  /** The free space on the disk, by the rules given when it was opened. */
  room(): Promise<SpaceLevel>;
  /** The number of events that are not durable yet. */
  pending(): number;
  lastDigests(): Promise<LastDigests>;
  /** `undefined` if there is none (see `readReceipt`). */
  receipt(executionId: string): Promise<Signed<Receipt> | undefined>;
  /** `undefined` if there is none (see `readEventReceipt`). */
  eventReceipt(sequence: number): Promise<Signed<EventReceipt> | undefined>;
  /** Signs the durable events that no checkpoint covers. */
  sign(): Promise<void>;
  /**
   * Accepts no more events, and resolves when the pending ones are written and the file is closed.
   */
  close(): Promise<void>;
}

export type LogWriterOptions = WriterThreadOptions & Pick<EventBatchesOptions, 'onWritten'>;

/**
 * Rejects with `AUDIT_UNAVAILABLE` if the file cannot be opened, like `append` while it cannot be
 * written.
 */
export async function logWriter({ onWritten, ...options }: LogWriterOptions): Promise<LogWriter> {
  const { file } = options;
  const thread = await writerThread(options);
  const batches = eventBatches({
    file,
    write: (rows) => thread.ask({ kind: 'append', rows }),
    onWritten,
  });
  let closed: Promise<void> | undefined;

  const requireOpen = (): void => {
    if (closed !== undefined)
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `the audit log ${file} is closed because Ambit is shutting down`,
      );
  };
  const ask: WriterThread['ask'] = async (request) => {
    requireOpen();
    return thread.ask(request);
  };

  return {
    append(row, mayWait = false) {
      try {
        requireOpen();
        return batches.add(row, mayWait);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    openExecutions: () => ask({ kind: 'open-executions' }),
    pending: batches.pending,
    room: () => ask({ kind: 'room' }),
    lastDigests: () => ask({ kind: 'last-digests' }),
    // In steps, with events written in between.
    async planPruning(rules, now) {
      let progress = await ask({ kind: 'plan-pruning', rules, now });
      while (!progress.isDone) progress = await ask({ kind: 'continue-plan', progress });
      return ask({ kind: 'end-plan', progress });
    },
    async prune(plan) {
      let isDone = await ask({ kind: 'prune', plan });
      // What is left when the log is closed is deleted next time.
      while (!isDone && closed === undefined) isDone = await thread.ask({ kind: 'prune', plan: null });
    },
    receipt: (executionId) => ask({ kind: 'receipt', executionId }),
    eventReceipt: (sequence) => ask({ kind: 'event-receipt', sequence }),
    async sign() {
      await ask({ kind: 'sign' });
    },
    async probe() {
      await ask({ kind: 'probe', writes: batches.hasFailed() });
    },
    close() {
      closed ??= batches.settled().then(() => thread.close());
      return closed;
    },
  };
}
