import { SkillError } from '@ambit/core';
import { type Checkpoint, eventHash, genesisHash, placedText, type Signed } from '@ambit/core/audit';
import { type Database, SqliteError } from 'better-sqlite3';
import { type CheckpointTable, checkpointEvery } from '../sign/checkpoint-table.ts';
import type { EventRow } from './event-row.ts';
import { sha256 } from './sha256.ts';

/** The tables of `audit.db`, for their one writer. */
export interface LogTable {
  /**
   * Writes a batch in one transaction, durable on return. Each event gets its position or its own
   * error, if it violates the order of the log. With `refusal`, only events with `isLast` are
   * written. Throws if the batch cannot be written; then none of it is.
   */
  append(rows: readonly EventRow[], refusal?: SkillError): readonly (LogPlace | SkillError)[];
  /** The executions without an end, oldest first. */
  openExecutions(): string[];
  /** Signs the unsigned events, if any. Throws if that cannot be written. */
  checkpoint(): void;
  /** Whether there are events after the last checkpoint. */
  isUnsigned(): boolean;
  /** Writes and removes a value, as durably as an event. Throws if that fails. */
  probe(): void;
}

/** The position of an event, with its stored hash. */
interface LogPlace {
  sequence: number;
  hash: Uint8Array;
}

/** The end of the log: its last event, and the open records. */
interface Head extends LogPlace {
  open: Set<string>;
  signedThrough: number;
}

/**
 * Prepares the statements. The end of the log is read now, and again after a failure. `onSigned`
 * gets each checkpoint once it is durable.
 */
export function logTable(
  database: Database,
  checkpoints: CheckpointTable,
  onSigned: (signed: Signed<Checkpoint>) => void,
): LogTable {
  const write = batchWrites(database);
  const lastEvent = database.prepare<[], LogPlace>(
    'SELECT sequence, hash FROM log ORDER BY sequence DESC LIMIT 1',
  );
  const allOpen = database
    .prepare<[], string>('SELECT execution_id FROM open_records ORDER BY sequence')
    .pluck();
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck();

  const swell = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('probe', ?)");
  const shrink = database.prepare("DELETE FROM meta WHERE key = 'probe'");

  const readHead = (): Head => {
    const last = lastEvent.get() ?? { sequence: 0, hash: genesisHash(sha256, logId.get() ?? '') };
    return {
      ...last,
      open: new Set(allOpen.all()),
      signedThrough: checkpoints.signedThrough(last.sequence),
    };
  };
  let known: Head | undefined = readHead();

  /**
   * Writes, and signs once enough events are unsigned. The checkpoint is reported once both are
   * durable.
   */
  const inTransaction = database.transaction(
    (rows: readonly EventRow[], unsignedMax: number, refusal?: SkillError) => {
      known ??= readHead();
      const head = known;
      const places = write(head, rows, refusal);
      if (head.sequence - head.signedThrough <= unsignedMax) return { places, signed: undefined };
      const signed = checkpoints.add(head);
      head.signedThrough = head.sequence;
      return { places, signed };
    },
  ).immediate;
  const commit = (
    rows: readonly EventRow[],
    unsignedMax: number,
    refusal?: SkillError,
  ): (LogPlace | SkillError)[] => {
    try {
      const { places, signed } = inTransaction(rows, unsignedMax, refusal);
      if (signed !== undefined) onSigned(signed);
      return places;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };

  return {
    append: (rows, refusal) => commit(rows, checkpointEvery - 1, refusal),
    checkpoint: () => void commit([], 0),
    isUnsigned() {
      known ??= readHead();
      return known.sequence > known.signedThrough;
    },
    openExecutions: () => allOpen.all(),
    // A single page can fit on a disk that is too full for any call.
    probe() {
      swell.run('x'.repeat(probeBytes));
      shrink.run();
    },
  };
}

/** More than most calls write. */
const probeBytes = 64 * 1024;

/** Writes batches, each in a transaction of the caller, and moves the head to the end of the log. */
function batchWrites(database: Database) {
  const insertEvent = database.prepare(
    'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  const insertPayload = database.prepare(
    'INSERT INTO payloads (sequence, side, text, is_cut) VALUES (?, ?, ?, ?)',
  );
  const insertOpen = database.prepare('INSERT INTO open_records (execution_id, sequence) VALUES (?, ?)');
  const deleteOpen = database.prepare('DELETE FROM open_records WHERE execution_id = ?');

  const write = (
    head: Head,
    opened: Map<string, number>,
    { executionId, opens, closes, body, payload }: EventRow,
  ): LogPlace | SkillError => {
    if (executionId !== null && !opens && !head.open.has(executionId)) return notOpen(executionId);
    const sequence = head.sequence + 1;
    const hash = eventHash(sha256, head.hash, placedText(sequence, body));
    try {
      const { changes } = insertEvent.run(sequence, executionId, opens ? 1 : 0, body, hash);
      // A foreign trigger in the file can make SQLite drop a row and report success.
      if (changes !== 1) throw new Error('SQLite did not store the event; run "ambit audit verify"');
    } catch (error) {
      // SQLite rolls back only its own statement, not the transaction.
      if (isTaken(error)) return openedTwice(error);
      throw error;
    }
    if (payload !== undefined) insertPayload.run(sequence, payload.of, payload.text, payload.isCut ? 1 : 0);
    if (executionId !== null && opens && !closes) {
      opened.set(executionId, sequence);
      head.open.add(executionId);
    }
    if (executionId !== null && closes && !opens) {
      if (!opened.delete(executionId)) deleteOpen.run(executionId);
      head.open.delete(executionId);
    }
    Object.assign(head, { sequence, hash });
    return { sequence, hash };
  };

  return (head: Head, rows: readonly EventRow[], refusal?: SkillError): (LogPlace | SkillError)[] => {
    /** Records that the batch has opened and not closed, with the sequences of their beginnings. */
    const opened = new Map<string, number>();
    const places = rows.map((row) =>
      refusal === undefined || row.isLast ? write(head, opened, row) : refusal,
    );
    // A record that the same batch closes is never listed, which saves writing three pages.
    for (const [executionId, sequence] of opened) insertOpen.run(executionId, sequence);
    return places;
  };
}

function isTaken(error: unknown): boolean {
  return error instanceof SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE';
}

function openedTwice(cause: unknown): SkillError {
  return new SkillError(
    'INTERNAL',
    'the audit log refused a second start or end of an execution; this is a bug in Ambit',
    { cause },
  );
}

function notOpen(executionId: string): SkillError {
  return new SkillError(
    'INTERNAL',
    `execution ${executionId} has no open record in the audit log, so nothing more is recorded for it; this is a bug in Ambit`,
  );
}
