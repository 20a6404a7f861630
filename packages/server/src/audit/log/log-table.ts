import { SkillError } from '@ambit/core';
import { type Checkpoint, eventHash, genesisHash, placedText, type Signed } from '@ambit/core/internal';
import { type Database, SqliteError } from 'better-sqlite3';
import { sha256 } from '../sha256.ts';
import { type CheckpointTable, checkpointEvery } from '../sign/checkpoint-table.ts';
import type { EventRow } from './event-row.ts';

/** The tables of `audit.db`, for the one that writes them. */
export interface LogTable {
  /**
   * Writes a batch in one transaction, durable when this returns. Each event is judged for itself: it has a place, or
   * what the log's order has against it; with `refusal`, only what is last is written. Throws when the batch cannot be
   * written; then nothing of it is.
   */
  append(rows: readonly EventRow[], refusal?: SkillError): readonly (LogPlace | SkillError)[];
  /** The executions that were opened and never closed, oldest first. */
  openExecutions(): string[];
  /** Signs for what is not signed for yet, if anything. Throws when that cannot be written. */
  checkpoint(): void;
  /** Whether there are events that no checkpoint speaks for. */
  isUnsigned(): boolean;
  /** Writes what changes nothing, as durably as an event. Throws when that cannot be done. */
  probe(): void;
}

/** Where an event stands, with its hash as it is kept. */
interface LogPlace {
  sequence: number;
  hash: Uint8Array;
}

/** Where the log stands: its last event, and which records are open. */
interface Head extends LogPlace {
  open: Set<string>;
  signedThrough: number;
}

/**
 * The statements that write, prepared once. Where the log stands is read now, and again after a failure.
 * `onSigned` is told of each checkpoint once it is durable.
 */
export function logTable(
  database: Database,
  checkpoints: CheckpointTable,
  onSigned: (signed: Signed<Checkpoint>) => void,
): LogTable {
  const insertEvent = database.prepare(
    'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  const insertPayload = database.prepare(
    'INSERT INTO payloads (sequence, side, text, is_cut) VALUES (?, ?, ?, ?)',
  );
  const insertOpen = database.prepare('INSERT INTO open_records (execution_id, sequence) VALUES (?, ?)');
  const deleteOpen = database.prepare('DELETE FROM open_records WHERE execution_id = ?');
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

  const write = (
    head: Head,
    { executionId, opens, closes, body, payload }: EventRow,
  ): LogPlace | SkillError => {
    if (executionId !== null && !opens && !head.open.has(executionId)) return notOpen(executionId);
    const sequence = head.sequence + 1;
    const hash = eventHash(sha256, head.hash, placedText(sequence, body));
    try {
      const { changes } = insertEvent.run(sequence, executionId, opens ? 1 : 0, body, hash);
      // A trigger that somebody put into the file can have SQLite drop a row and call that success.
      if (changes !== 1) throw new Error('SQLite has not taken the event; run "ambit audit verify"');
    } catch (error) {
      // It takes back its own statement, and nothing else of the transaction.
      if (isTaken(error)) return openedTwice(error);
      throw error;
    }
    if (payload !== undefined) insertPayload.run(sequence, payload.of, payload.text, payload.isCut ? 1 : 0);
    if (executionId !== null && opens && !closes) {
      insertOpen.run(executionId, sequence);
      head.open.add(executionId);
    }
    if (executionId !== null && closes && !opens) {
      deleteOpen.run(executionId);
      head.open.delete(executionId);
    }
    Object.assign(head, { sequence, hash });
    return { sequence, hash };
  };

  /** Writes, signs once so many events are not signed for, and tells of that once both are durable. */
  const inTransaction = database.transaction(
    (rows: readonly EventRow[], unsignedMax: number, refusal?: SkillError) => {
      known ??= readHead();
      const head = known;
      const places = rows.map((row) => (refusal === undefined || row.isLast ? write(head, row) : refusal));
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
    // A single page can find room on a disk that is too full for any call.
    probe() {
      swell.run('x'.repeat(probeBytes));
      shrink.run();
    },
  };
}

/** More than what most calls write. */
const probeBytes = 64 * 1024;

function isTaken(error: unknown): boolean {
  return error instanceof SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE';
}

function openedTwice(cause: unknown): SkillError {
  return new SkillError(
    'INTERNAL',
    'an execution is opened once and ended once; the audit log has refused to do either again',
    { cause },
  );
}

function notOpen(executionId: string): SkillError {
  return new SkillError(
    'INTERNAL',
    `execution ${executionId} has no open record in the audit log; nothing more is written for it`,
  );
}
