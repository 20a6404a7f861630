import type { Checkpoint, Signed } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import type { AuditKey } from './audit-key.ts';

/** The maximum number of events between checkpoints. */
export const checkpointEvery = 1000;
/** The maximum time between the first unsigned event and a checkpoint, in milliseconds. */
export const checkpointWithinMs = 60_000;

/** The checkpoints of a log. */
export interface CheckpointTable {
  /** The last checkpoint up to a sequence; 0 if there is none. */
  signedThrough(sequence: number): number;
  /** Signs an event and everything before it, in the current transaction. */
  add(place: { sequence: number; hash: Uint8Array }): Signed<Checkpoint>;
}

export function checkpointTable(database: Database, key: AuditKey): CheckpointTable {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck();
  const last = database
    .prepare<[number], number | null>('SELECT max(sequence) FROM checkpoints WHERE sequence <= ?')
    .pluck();
  // An existing checkpoint is not replaced: if it is for another event, verification detects that.
  const insert = database.prepare('INSERT OR IGNORE INTO checkpoints (sequence, signed) VALUES (?, ?)');
  return {
    signedThrough: (sequence) => last.get(sequence) ?? 0,
    add({ sequence, hash }) {
      const signed = key.sign<Checkpoint>({
        type: 'ambit/checkpoint/1',
        logId: logId.get() ?? '',
        sequence,
        hash: `sha256:${Buffer.from(hash).toString('hex')}`,
        time: new Date().toISOString(),
      });
      insert.run(sequence, JSON.stringify(signed));
      return signed;
    },
  };
}
