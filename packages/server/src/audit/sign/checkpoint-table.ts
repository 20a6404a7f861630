import type { Checkpoint, Signed } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import type { AuditKey } from './audit-key.ts';

/** A log is signed for after so many events at the latest. */
export const checkpointEvery = 1000;
/** And so long after the first event that is not signed for, in milliseconds. */
export const checkpointWithinMs = 60_000;

/** The signed places of a log. */
export interface CheckpointTable {
  /** The last one up to a sequence; 0 where there is none. */
  signedThrough(sequence: number): number;
  /** Signs for an event and everything before it, as part of whatever transaction is under way. */
  add(place: { sequence: number; hash: Uint8Array }): Signed<Checkpoint>;
}

export function checkpointTable(database: Database, key: AuditKey): CheckpointTable {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck();
  const last = database
    .prepare<[number], number | null>('SELECT max(sequence) FROM checkpoints WHERE sequence <= ?')
    .pluck();
  // What is there already is kept: that another event stands at its place is for those to find who verify.
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
