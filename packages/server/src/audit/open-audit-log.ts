import type {
  AppendOptions,
  AuditEvent,
  AuditLog,
  AuditPosition,
  Checkpoint,
  ClusterTree,
  EventReceipt,
  ReadNodeEvents,
  Receipt,
  RecordedPayload,
  Signed,
} from '@ambit/core/audit';
import { thrownText } from '@ambit/core/outcome';
import type { ShippedLog } from '../store/operations/nodes.ts';
import type { DataDirLock } from './file/lock-data-dir.ts';
import { type IndexedReader, type ReadAuditLogOptions, readAuditLog } from './index/read-audit-log.ts';
import { eventRow, parseEvent } from './log/event-row.ts';
import type { SpaceRules } from './log/log-space.ts';
import { type LogWriter, logWriter } from './log/log-writer.ts';
import { openReadonly } from './log/open-readonly.ts';
import type { SendingLease } from './ship/ship-batch.ts';
import { type LogDifference, shippableLog } from './ship/shippable-log.ts';
import { shippedAppend } from './ship/shipped-answers.ts';
import {
  type Shipping,
  type ShippingOptions,
  type ShippingProgress,
  startShipping,
} from './ship/shipping.ts';
import { keyFileOf } from './sign/audit-key.ts';
import { type CheckpointLocation, outsideCheckpoints } from './sign/outside-checkpoints.ts';

/** The log, with the methods that a daemon needs besides. */
export interface OpenAuditLog
  extends AuditLog,
    Pick<IndexedReader, 'indexedThrough' | 'daemonEvents' | 'chain'>,
    Pick<LogWriter, 'lastDigests' | 'planPruning' | 'prune' | 'room'> {
  /** Like `AuditLog.append`. Redacts the event as it is serialized; payloads are redacted before. */
  append(
    event: AuditEvent,
    payload?: RecordedPayload,
    options?: AppendOptions & { redact?: (text: string) => string },
  ): Promise<AuditPosition>;
  progress(): LogProgress;
  /** See `AuditIndex`; absent without a cluster. */
  eventsOfNodes?: ReadNodeEvents | undefined;
  /** The tree over the checkpoints of the cluster; absent without one. */
  tree?: ClusterTree | undefined;
  /** Sends the log to the database of the cluster; absent without one. */
  shipping?: LogShipping | undefined;
  /**
   * Resolves if events can be written; otherwise rejects with `AUDIT_UNAVAILABLE` and the reason.
   */
  requireWritable(): Promise<void>;
  /**
   * The signed receipt of an execution. `undefined` until it has ended, and for a request that
   * named no skill.
   */
  receipt(executionId: string): Promise<Signed<Receipt> | undefined>;
  /** The signed receipt of an event outside calls; `undefined` if it does not exist or belongs to a call. */
  eventReceipt(sequence: number): Promise<Signed<EventReceipt> | undefined>;
}

/** The way a node sends its log. */
interface LogShipping extends Pick<Shipping, 'begin' | 'requireProgress'> {
  /** Returns the difference between this log and the node's log in the database; `undefined` if it continues that. */
  differenceFrom(shipped: ShippedLog): LogDifference | undefined;
  /** Sends what is left, with the last checkpoint, within a time limit. Nothing is sent afterwards. */
  end(): Promise<void>;
}

/** The progress of the log since it was opened. */
export interface LogProgress {
  /** Events that are not durable yet. */
  pending: number;
  /** The last durable event; absent before the first one. */
  sequence?: number;
  /**
   * The last checkpoint: the last event that it signs, and its time in milliseconds since the
   * epoch; absent before the first one.
   */
  checkpoint?: { sequence: number; time: number };
  /** Absent without a cluster. */
  shipping?: ShippingProgress | undefined;
}

export interface AuditLogOptions extends ReadAuditLogOptions {
  /** Gets a copy of each checkpoint; absent: they are stored only in the log itself. */
  outside?: CheckpointLocation;
  /**
   * The lock on the log's directory: once it is lost, nothing is written. Absent: no other process
   * can open the log.
   */
  lock?: DataDirLock;
  /** Absent: the log is written as long as there is space. */
  space?: SpaceRules;
  /**
   * The log is sent to the database of its cluster, once `shipping.begin` is called. An answer waits for its record to be
   * there, at most `answersWaitMs`; 0: it does not wait. Needs `node` and `postgres`. Absent: it is not sent.
   */
  ships?:
    | ({
        answersWaitMs: number;
        /** Sending begins immediately, under this lease. Absent: with `shipping.begin`. */
        lease?: SendingLease;
      } & Pick<ShippingOptions, 'nodeKey'>)
    | undefined;
}

/**
 * The audit log in one SQLite file (mode 600, created if it does not exist; its folder must). An
 * event is on disk when `append` resolves. A thread writes it, so that an fsync blocks nothing
 * else; events that arrive during a commit share the next one. A file has one writer: `lockDataDir`
 * prevents a second one. If one opens it anyway, the database refuses the first.
 *
 * A failure needs no recovery here: the next event is tried like any other. While the log is in
 * use, the file at its path must stay the opened one: events in a moved or removed file would be
 * lost, so they are refused.
 *
 * The audit signing key (`audit-key`, mode 600) is beside it and created with it. Checkpoints are
 * signed after a thousand events, a minute after the first unsigned one, and on close.
 *
 * Rejects with `AUDIT_UNAVAILABLE` if the log cannot be opened, is not an audit log or was written
 * by a newer version, or if its key is missing.
 */
export async function openAuditLog({
  outside,
  lock,
  space,
  ships,
  ...reading
}: AuditLogOptions): Promise<OpenAuditLog> {
  const { file, node, postgres } = reading;
  const checkpoints = outside && outsideCheckpoints(outside);
  const listeners = new Set<Parameters<AuditLog['follow']>[0]>();
  const reached: Omit<LogProgress, 'pending'> = {};
  let shipping: Shipping | undefined;
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
      shipping?.onWritten(sequence);
    },
    onWritten({ body }, sequence) {
      reached.sequence = sequence;
      shipping?.onWritten(sequence);
      if (listeners.size === 0) return;
      const event = parseEvent(body);
      for (const listener of listeners) listener({ sequence, event });
    },
  });
  if (ships !== undefined && node != null && postgres != null)
    shipping = startShipping({
      file,
      owner: node,
      postgres,
      isAwaited: ships.answersWaitMs > 0,
      nodeKey: ships.nodeKey,
      onFailure: (error) => reading.onNote?.(shippingNote(error)),
    });
  const lease = ships?.lease;
  if (lease !== undefined) shipping?.begin(() => lease);
  const sending = shipping && logShipping(file, shipping, writer);
  const write =
    shipping !== undefined && ships !== undefined && ships.answersWaitMs > 0
      ? shippedAppend(writer.append, shipping, ships.answersWaitMs)
      : writer.append;
  const reader = readShipped(await readAuditLog(reading), shipping);
  return {
    ...reader,
    // Serialized now, because the caller may change the object later.
    append(event, payload, { redact, mayWait = false } = {}) {
      try {
        return write(eventRow(event, { payload: payload && { ...payload }, redact }), mayWait);
      } catch (error) {
        return Promise.reject(error);
      }
    },
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
    progress: () => ({
      ...reached,
      pending: writer.pending(),
      shipping: shipping?.progress(),
    }),
    room: writer.room,
    lastDigests: writer.lastDigests,
    planPruning: writer.planPruning,
    prune: writer.prune,
    tree: shipping?.tree,
    shipping: sending,
    receipt: writer.receipt,
    eventReceipt: writer.eventReceipt,
    async close() {
      // The last connection to close removes SQLite's files beside the log, which a read-only one
      // cannot do.
      await reader.close();
      await sending?.end();
      await writer.close();
      await checkpoints?.close();
    },
  };
}

function logShipping(file: string, shipping: Shipping, { sign }: LogWriter): LogShipping {
  return {
    begin: shipping.begin,
    requireProgress: shipping.requireProgress,
    differenceFrom(shipped) {
      const database = openReadonly(file);
      try {
        return shippableLog(database).differenceFrom(shipped);
      } finally {
        database.close();
      }
    },
    async end() {
      await sign().catch(() => undefined);
      await shipping.close();
    },
  };
}

/** A reader whose answers include everything that this node has recorded when it is asked. */
function readShipped(reader: IndexedReader, shipping: Shipping | undefined): IndexedReader {
  if (shipping === undefined) return reader;
  const { caughtUp, progress } = shipping;
  return {
    ...reader,
    query: (query) => caughtUp().then(() => reader.query(query)),
    count: (filter) => caughtUp().then(() => reader.count(filter)),
    stats: (query) => caughtUp().then(() => reader.stats(query)),
    async *export(filter) {
      await caughtUp();
      yield* reader.export(filter);
    },
    indexedThrough: async () => progress().through ?? 0,
  };
}

function shippingNote(error: unknown): string {
  if (error === undefined) return 'the audit log is sent to the database of the cluster again';
  return `${thrownText(error)}. Events stay in the log of this node until they can be sent`;
}
