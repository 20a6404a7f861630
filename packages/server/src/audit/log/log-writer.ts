import { SkillError } from '@ambit/core';
import type { AuditPosition, Receipt, Signed } from '@ambit/core/internal';
import type { PrunePlan, PruneRules } from '../retention/plan-pruning.ts';
import type { SignedPlan } from '../sign/sign-pruning.ts';
import type { EventRow } from './event-row.ts';
import type { SpaceLevel } from './log-space.ts';
import { type WaitingEvent, waitingEvents } from './waiting-events.ts';
import { type Appended, fromWire, type LastDigests } from './writer-protocol.ts';
import { type WriterThreadOptions, writerThread } from './writer-thread.ts';

/** Gathers events into batches, each one transaction of the writer thread. */
export interface LogWriter {
  /** Resolves once the event is durable; the order of the calls is the order in the log. */
  append(row: EventRow): Promise<AuditPosition>;
  /** The executions that were opened and never closed, oldest first. */
  openExecutions(): Promise<string[]>;
  /** Resolves when the log can be written: its file is there, and the last write worked or one that changes nothing does now. */
  probe(): Promise<void>;
  /** How much room there is on the disk, by the rules that it was opened with. */
  room(): Promise<SpaceLevel>;
  /** How many events are not durable yet. */
  pending(): number;
  lastDigests(): Promise<LastDigests>;
  /** What would go by these rules now; `undefined` for nothing. */
  planPruning(rules: PruneRules, now: number): Promise<SignedPlan | undefined>;
  /** Deletes what a plan takes, once the log says so; with `null`, what was left of one before. */
  prune(plan: PrunePlan | null): Promise<void>;
  /** `undefined` where there is none (see `readReceipt`). */
  receipt(executionId: string): Promise<Signed<Receipt> | undefined>;
  /** Takes nothing more, and resolves when what waits is written and the file is closed. */
  close(): Promise<void>;
}

export interface LogWriterOptions extends WriterThreadOptions {
  /** Told of each event once it is durable, in order. */
  onWritten(row: EventRow, sequence: number): void;
}

/**
 * One commit is under way at a time, and what comes meanwhile shares the next, because a commit costs as much as many
 * events. Where this many calls are under way, more events are about to come, and those that wait do so for a moment
 * longer: a call that is one of so many does not feel it.
 */
const callsOfCompany = 8;
const companyMin = 32;
const gatherMs = 2;

/** Rejects with `AUDIT_UNAVAILABLE` when the file cannot be opened, as `append` does while it cannot be written. */
export async function logWriter({ onWritten, ...options }: LogWriterOptions): Promise<LogWriter> {
  const { file } = options;
  const thread = await writerThread(options);
  const waiting = waitingEvents(file);
  /** Events of the batch that the thread has. */
  let underWay = 0;
  /** Calls that have begun, and whose ends have not come yet. */
  const running = new Set<string>();
  let isScheduled = false;
  let hasFailed = false;
  let closed: Promise<void> | undefined;
  const idle = Promise.withResolvers<void>();

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    // After everything that appends in this turn of the event loop.
    setImmediate(() => {
      if (running.size < callsOfCompany || waiting.length >= companyMin) sendWaiting();
      else setTimeout(sendWaiting, gatherMs);
    });
  };
  const sendWaiting = (): void => {
    isScheduled = false;
    if (waiting.length > 0 && underWay === 0) void send(waiting.take());
  };
  const send = async (batch: readonly WaitingEvent[]): Promise<void> => {
    underWay = batch.length;
    try {
      const appended = await thread.ask({ kind: 'append', rows: batch.map(({ row }) => row) });
      hasFailed = false;
      settle(batch, appended, (row, sequence) => {
        if (row.opens && !row.closes && row.executionId !== null) running.add(row.executionId);
        onWritten(row, sequence);
      });
    } catch (error) {
      hasFailed = true;
      for (const { reject } of batch) reject(error);
    } finally {
      underWay = 0;
      if (waiting.length > 0) schedule();
      else if (closed !== undefined) idle.resolve();
    }
  };
  const requireOpen = (): void => {
    if (closed !== undefined)
      throw new SkillError('AUDIT_UNAVAILABLE', `the audit log ${file} is closed: Ambit is stopping`);
  };

  return {
    async append(row) {
      requireOpen();
      const written = waiting.add(row);
      if (row.closes && row.executionId !== null) running.delete(row.executionId);
      schedule();
      return written;
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
    // In steps, between which events are written.
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
      // What is left when the log is closed goes the next time.
      while (!isDone && closed === undefined) isDone = await thread.ask({ kind: 'prune', plan: null });
    },
    async receipt(executionId) {
      requireOpen();
      return thread.ask({ kind: 'receipt', executionId });
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

/** Answers each event of a batch with where it stands, or why it does not. */
function settle(
  batch: readonly WaitingEvent[],
  { first, hashes, refused }: Appended,
  onWritten: LogWriterOptions['onWritten'],
): void {
  const hex = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('hex');
  const errors = new Map(refused.map(({ index, error }) => [index, error]));
  let accepted = 0;
  for (const [index, { row, resolve, reject }] of batch.entries()) {
    const error = errors.get(index);
    if (error !== undefined) {
      reject(fromWire(error));
      continue;
    }
    const sequence = first + accepted;
    resolve({ sequence, hash: `sha256:${hex.slice(64 * accepted, 64 * (accepted + 1))}` });
    accepted += 1;
    onWritten(row, sequence);
  }
}
