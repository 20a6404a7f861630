import type { AuditLog } from '@ambit/core/audit';
import type { Checkpoint, Receipt, Signed } from '@ambit/core/internal';
import { type IndexedReader, type ReadAuditLogOptions, readAuditLog } from './index/read-audit-log.ts';
import type { DataDirLock } from './lock-data-dir.ts';
import { eventRow } from './log/event-row.ts';
import type { SpaceRules } from './log/log-space.ts';
import { type LogWriter, logWriter } from './log/log-writer.ts';
import { parseEvent } from './log/parse-event.ts';
import { keyFileOf } from './sign/audit-key.ts';
import { type CheckpointLocation, outsideCheckpoints } from './sign/outside-checkpoints.ts';

/** The log, with what only those who keep a daemon running ask it. */
export interface OpenAuditLog
  extends AuditLog,
    Pick<IndexedReader, 'indexedThrough'>,
    Pick<LogWriter, 'lastDigests' | 'planPruning' | 'prune' | 'room'> {
  progress(): LogProgress;
  /** Resolves when events can be written. Rejects with `AUDIT_UNAVAILABLE`, and why, while they cannot. */
  requireWritable(): Promise<void>;
  /** What came of an execution, signed. `undefined` while it has no end, and where no skill was named. */
  receipt(executionId: string): Promise<Signed<Receipt> | undefined>;
}

/** How far the log has come, since it was opened. */
export interface LogProgress {
  /** Events that are not durable yet. */
  pending: number;
  /** The last that is; absent before the first. */
  sequence?: number;
  /** The last checkpoint: the event up to which it signs, and when, in milliseconds since the epoch; absent before the first. */
  checkpoint?: { sequence: number; time: number };
}

export interface AuditLogOptions extends ReadAuditLogOptions {
  /** Gets a copy of each checkpoint; absent: they are only kept in the log itself. */
  outside?: CheckpointLocation;
  /** On the directory of the log: once it is lost, nothing is written. Absent: no other process can open the log. */
  lock?: DataDirLock;
  /** Absent: the log is written as long as there is any room. */
  space?: SpaceRules;
}

/**
 * The audit log in one SQLite file (mode 600, made when it is not there; its folder has to be). An event is on the
 * disk when `append` resolves. A thread writes it, so that no fsync holds up anything else, and what comes while a
 * commit is under way shares the next one. There is one writer to a file: `lockDataDir` keeps a second one from opening it. If
 * one opens it anyway, the database refuses the first.
 *
 * After a failure nothing has to be done here: the next event is tried like any other. While the log is in use, the
 * file at its path has to stay the one that was opened: events that went to a file that was moved away or removed would
 * be lost, so they are refused.
 *
 * Its key (`audit-key`, mode 600) lies beside it and is made with it. Checkpoints are signed after a thousand events,
 * a minute after the first that is not signed for, and when it is closed.
 *
 * Rejects with `AUDIT_UNAVAILABLE` when it cannot be opened, is no audit log, was written by a newer version, or its key
 * is not there any more.
 */
export async function openAuditLog({
  outside,
  lock,
  space,
  ...reading
}: AuditLogOptions): Promise<OpenAuditLog> {
  const { file } = reading;
  const checkpoints = outside && outsideCheckpoints(outside);
  const listeners = new Set<Parameters<AuditLog['follow']>[0]>();
  const reached: Omit<LogProgress, 'pending'> = {};
  const writer = await logWriter({
    file,
    keyFile: keyFileOf(file),
    lock: lock?.held,
    space,
    onNote: reading.onNote,
    onSigned(signed: Signed<Checkpoint>) {
      const { sequence, time } = signed.statement;
      reached.checkpoint = { sequence, time: Date.parse(time) };
      checkpoints?.add(signed);
    },
    onWritten({ body }, sequence) {
      reached.sequence = sequence;
      if (listeners.size === 0) return;
      const event = parseEvent(body);
      for (const listener of listeners) listener({ sequence, event });
    },
  });
  const reader = await readAuditLog(reading);
  return {
    ...reader,
    // Not later: its text is what it is now, whatever becomes of the object.
    append: async (event, payload) => writer.append(eventRow(event, payload && { ...payload })),
    async interruptOpen(time) {
      const open = await writer.openExecutions();
      await Promise.all(
        open.map((executionId) => writer.append(eventRow({ kind: 'call.interrupted', executionId, time }))),
      );
      return open.length;
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    requireWritable: () => writer.probe(),
    progress: () => ({ ...reached, pending: writer.pending() }),
    room: writer.room,
    lastDigests: writer.lastDigests,
    planPruning: writer.planPruning,
    prune: writer.prune,
    receipt: writer.receipt,
    async close() {
      // The last to close takes away what SQLite keeps beside the file, which one that only reads cannot.
      await reader.close();
      await writer.close();
      await checkpoints?.close();
    },
  };
}
