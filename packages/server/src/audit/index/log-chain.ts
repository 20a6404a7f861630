import type { Checkpoint, Signed } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { eventIn } from './next-records.ts';

/** The state of a log's chain. Times are ISO 8601; the time of an invalid event is `null`. */
export interface LogChain {
  logId: string;
  createdAt: string;
  /** More than 1 if older events were pruned; `null` in an empty log. */
  first: { sequence: number; time: string | null } | null;
  last: { sequence: number; hash: string; time: string | null } | null;
  /** `null` before the first one. */
  checkpoint: { sequence: number; time: string; keyId: string } | null;
  /** The number of events after the last checkpoint. */
  unsigned: number;
  /** The signing keys, oldest first; `since` is the first event that the key signs. */
  keys: { keyId: string; publicKey: string; since: number | null }[];
}

/** Reads the state of a log's chain, without verifying anything. */
export function logChain(log: Database): () => LogChain {
  const end = (order: 'ASC' | 'DESC') =>
    log.prepare<[], { sequence: number; body: string; hash: string }>(
      `SELECT sequence, body, 'sha256:' || lower(hex(hash)) AS hash FROM log ORDER BY sequence ${order} LIMIT 1`,
    );
  const [first, last] = [end('ASC'), end('DESC')];
  const meta = log.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck();
  const checkpoint = log
    .prepare<[], string>('SELECT signed FROM checkpoints ORDER BY sequence DESC LIMIT 1')
    .pluck();
  const keys = log.prepare<[], { keyId: string; publicKey: string; since: number | null }>(
    'SELECT key_id AS keyId, public_key AS publicKey, since + 1 AS since FROM keys ORDER BY since, rowid',
  );
  return log.transaction((): LogChain => {
    const [oldest, newest, signed] = [first.get(), last.get(), checkpoint.get()];
    const { statement, keyId } =
      signed === undefined ? { statement: undefined, keyId: '' } : (JSON.parse(signed) as Signed<Checkpoint>);
    return {
      logId: meta.get('log_id') ?? '',
      createdAt: meta.get('created') ?? '',
      first: oldest === undefined ? null : { sequence: oldest.sequence, time: timeIn(oldest.body) },
      last:
        newest === undefined
          ? null
          : { sequence: newest.sequence, hash: newest.hash, time: timeIn(newest.body) },
      checkpoint:
        statement === undefined ? null : { sequence: statement.sequence, time: statement.time, keyId },
      unsigned: (newest?.sequence ?? 0) - (statement?.sequence ?? 0),
      keys: keys.all(),
    };
  });
}

function timeIn(body: string): string | null {
  const time = eventIn(body)?.time;
  return time === undefined ? null : new Date(time).toISOString();
}
