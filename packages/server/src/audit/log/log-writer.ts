import { SkillError } from '@ambit/core';
import type { AuditPosition, EventReceipt, Receipt, Signed } from '@ambit/core/audit';
import { fromWire } from '../../sqlite/thread-error.ts';
import type { PrunableLog } from '../retention/prune-log.ts';
import type { EventRow } from './event-row.ts';
import type { SpaceLevel } from './log-space.ts';
import { type WaitingEvent, waitingEvents } from './waiting-events.ts';
import type { AppendResult, LastDigests } from './writer-protocol.ts';
import { type WriterThreadOptions, writerThread } from './writer-thread.ts';

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

export interface LogWriterOptions extends WriterThreadOptions {
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

/**
 * Rejects with `AUDIT_UNAVAILABLE` if the file cannot be opened, like `append` while it cannot be
 * written.
 */
export async function logWriter({ onWritten, ...options }: LogWriterOptions): Promise<LogWriter> {
  const { file } = options;
  const thread = await writerThread(options);
  const waiting = waitingEvents(file);
  /** Events in the current batch. */
  let underWay = 0;
  /** Calls that have begun and not ended. */
  const running = new Set<string>();
  let isScheduled = false;
  let untilWaited: NodeJS.Timeout | undefined;
  let hasFailed = false;
  let closed: Promise<void> | undefined;
  const idle = Promise.withResolvers<void>();

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
        else if (closed !== undefined) idle.resolve();
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
    thread.ask({ kind: 'append', rows: batch.map(({ row }) => row) }).then(
      (appended) => end(() => written(appended)),
      (error: unknown) => end(() => failed(error)),
    );
  };
  const requireOpen = (): void => {
    if (closed !== undefined)
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `the audit log ${file} is closed because Ambit is shutting down`,
      );
  };

  return {
    append(row, mayWait = false) {
      try {
        requireOpen();
        const written = waiting.add(row);
        if (row.executionId !== null && row.closes) running.delete(row.executionId);
        else if (row.executionId !== null && row.opens) running.add(row.executionId);
        if (!mayWait) schedule();
        else if (!isScheduled) untilWaited ??= setTimeout(schedule, waitMs);
        return written;
      } catch (error) {
        return Promise.reject(error);
      }
    },
    async openExecutions() {
      requireOpen();
      return thread.ask({ kind: 'open-executions' });
    },
    pending: () => waiting.length + underWay,
    async room() {
      requireOpen();
      return thread.ask({ kind: 'room' });
    },
    async lastDigests() {
      requireOpen();
      return thread.ask({ kind: 'last-digests' });
    },
    // In steps, with events written in between.
    async planPruning(rules, now) {
      requireOpen();
      let progress = await thread.ask({ kind: 'plan-pruning', rules, now });
      while (!progress.isDone && closed === undefined)
        progress = await thread.ask({ kind: 'continue-plan', progress });
      requireOpen();
      return thread.ask({ kind: 'end-plan', progress });
    },
    async prune(plan) {
      requireOpen();
      let isDone = await thread.ask({ kind: 'prune', plan });
      // If the log is closed before the end, the rest is deleted next time.
      while (!isDone && closed === undefined) isDone = await thread.ask({ kind: 'prune', plan: null });
    },
    async receipt(executionId) {
      requireOpen();
      return thread.ask({ kind: 'receipt', executionId });
    },
    async eventReceipt(sequence) {
      requireOpen();
      return thread.ask({ kind: 'event-receipt', sequence });
    },
    async sign() {
      requireOpen();
      await thread.ask({ kind: 'sign' });
    },
    async probe() {
      requireOpen();
      await thread.ask({ kind: 'probe', writes: hasFailed });
    },
    close() {
      closed ??= (async () => {
        if (waiting.length > 0 || underWay > 0) await idle.promise;
        await thread.close();
      })();
      return closed;
    },
  };
}

/** Resolves each event of a batch with its position, or rejects it with its error. */
function resolveBatch(
  batch: readonly WaitingEvent[],
  { first, hashes, refused }: AppendResult,
  onWritten: LogWriterOptions['onWritten'],
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
