import type { AuditPosition } from '@ambit/core/audit';
import { eventual } from '../../jobs/eventual.ts';
import { fromWire } from '../../sqlite/thread-error.ts';
import type { EventRow } from './event-row.ts';
import { type WaitingEvent, waitingEvents } from './waiting-events.ts';
import type { AppendResult } from './writer-protocol.ts';

/** Collects events into batches, and writes one batch at a time. */
interface EventBatches {
  /** Resolves once the event is durable. Throws if too many events wait already. */
  add(row: EventRow, mayWait: boolean): Promise<AuditPosition>;
  /** The number of events that are not durable yet. */
  pending(): number;
  /** Whether the last batch could not be written. */
  hasFailed(): boolean;
  /** Resolves when no events are pending. */
  settled(): Promise<void>;
}

export interface EventBatchesOptions {
  /** The log's file, for errors. */
  file: string;
  /** Writes a batch in one transaction. */
  write(rows: EventRow[]): Promise<AppendResult>;
  /** Called with each event once it is durable, in order. */
  onWritten(row: EventRow, sequence: number): void;
}

/**
 * One commit runs at a time, and events that arrive meanwhile share the next one, because a commit
 * costs as much as many events. With at least this many running calls, more events are about to
 * arrive, so a commit waits a moment longer; a call among so many does not notice.
 */
const batchingCalls = 8;
const batchMin = 32;
const gatherMs = 2;
/** The wait of an event that may wait: longer than most calls of small WASM skills. */
const waitMs = 5;

/** Starts without events. */
export function eventBatches({ file, write, onWritten }: EventBatchesOptions): EventBatches {
  const waiting = waitingEvents(file);
  /** Events in the current batch. */
  let underWay = 0;
  /** Calls that have begun and not ended. */
  const running = new Set<string>();
  let isScheduled = false;
  let untilWaited: NodeJS.Timeout | undefined;
  let hasFailed = false;
  let whenSettled = eventual<void>();

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clearTimeout(untilWaited);
    untilWaited = undefined;
    // After all appends in this turn of the event loop.
    setImmediate(() => {
      if (running.size < batchingCalls || waiting.length >= batchMin) sendWaiting();
      else setTimeout(sendWaiting, gatherMs);
    });
  };
  const sendWaiting = (): void => {
    isScheduled = false;
    if (waiting.length > 0 && underWay === 0) send(waiting.take());
  };
  const notWritten = ({ executionId, opens }: EventRow): void => {
    if (opens && executionId !== null) running.delete(executionId);
  };
  const send = (batch: readonly WaitingEvent[]): void => {
    underWay = batch.length;
    const end = (settle: () => void): void => {
      try {
        settle();
      } finally {
        underWay = 0;
        if (waiting.length > 0) schedule();
        else {
          whenSettled.resolve();
          whenSettled = eventual();
        }
      }
    };
    const failed = (error: unknown): void => {
      hasFailed = true;
      for (const { row, reject } of batch) {
        notWritten(row);
        reject(error);
      }
    };
    const written = (appended: AppendResult): void => {
      hasFailed = false;
      resolveBatch(batch, appended, onWritten, notWritten);
    };
    write(batch.map(({ row }) => row)).then(
      (appended) => end(() => written(appended)),
      (error: unknown) => end(() => failed(error)),
    );
  };

  return {
    add(row, mayWait) {
      const written = waiting.add(row);
      if (row.executionId !== null && row.closes) running.delete(row.executionId);
      else if (row.executionId !== null && row.opens) running.add(row.executionId);
      if (!mayWait) schedule();
      else if (!isScheduled) untilWaited ??= setTimeout(schedule, waitMs);
      return written;
    },
    pending: () => waiting.length + underWay,
    hasFailed: () => hasFailed,
    settled: () => (waiting.length === 0 && underWay === 0 ? Promise.resolve() : whenSettled.promise()),
  };
}

/** Resolves each event of a batch with its position, or rejects it with its error. */
function resolveBatch(
  batch: readonly WaitingEvent[],
  { first, hashes, refused }: AppendResult,
  onWritten: EventBatchesOptions['onWritten'],
  onRefused: (row: EventRow) => void,
): void {
  const hex = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('hex');
  const errors = new Map(refused.map(({ index, error }) => [index, error]));
  let accepted = 0;
  for (const [index, { row, resolve, reject }] of batch.entries()) {
    const error = errors.get(index);
    if (error !== undefined) {
      onRefused(row);
      reject(fromWire(error));
      continue;
    }
    const sequence = first + accepted;
    resolve({ sequence, hash: `sha256:${hex.slice(64 * accepted, 64 * (accepted + 1))}` });
    accepted += 1;
    onWritten(row, sequence);
  }
}
