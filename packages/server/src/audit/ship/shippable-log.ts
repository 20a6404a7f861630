import type { Database } from 'better-sqlite3';
import type { ShippedLog } from '../../store/operations/nodes.ts';

/** An event to send, with its hash. */
export interface ShippedEvent {
  sequence: number;
  executionId: string | null;
  opens: number;
  body: string;
  /** Hex. */
  hash: string;
}

/** The reason why a log is not the one that was shipped. `hash` is the one of its own event. */
export type LogDifference =
  | { kind: 'other-log' | 'older'; text: string }
  | { kind: 'forked'; text: string; hash: string };

/** Events in the order of a log, and what belongs to them. */
export interface Batch {
  events: readonly ShippedEvent[];
  payloads: readonly { sequence: number; side: string; text: string; isCut: number }[];
  checkpoints: readonly { sequence: number; signed: string }[];
}

export type ShippableLog = ReturnType<typeof shippableLog>;

const eventsMax = 1000;
/** The characters of a batch, unless its first event has more. */
const charactersMax = 4 * 1024 * 1024;

/** Reads a log in batches. */
export function shippableLog(log: Database) {
  const logId = log.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck();
  const head = log.prepare<[], number | null>('SELECT max(sequence) FROM log').pluck();
  const hashAt = log.prepare<[number], string>('SELECT lower(hex(hash)) FROM log WHERE sequence = ?').pluck();
  const timeAfter = log
    .prepare<[number], number>(
      "SELECT json_extract(body, '$.time') FROM log WHERE sequence > ? ORDER BY sequence LIMIT 1",
    )
    .pluck();
  const events = log.prepare<[number, number], ShippedEvent>(
    `SELECT sequence, execution_id AS executionId, opens, body, lower(hex(hash)) AS hash
     FROM log WHERE sequence > ? ORDER BY sequence LIMIT ?`,
  );
  const payloads = log.prepare<[number, number], Batch['payloads'][number]>(
    'SELECT sequence, side, text, is_cut AS isCut FROM payloads WHERE sequence > ? AND sequence <= ? ORDER BY sequence',
  );
  const checkpoints = log.prepare<[number, number], Batch['checkpoints'][number]>(
    'SELECT sequence, signed FROM checkpoints WHERE sequence > ? AND sequence <= ? ORDER BY sequence',
  );
  const keys = log.prepare<[], { keyId: string; publicKey: string; since: number }>(
    'SELECT key_id AS keyId, public_key AS publicKey, coalesce(since, 0) AS since FROM keys ORDER BY since, rowid',
  );
  return {
    logId: () => logId.get() ?? '',
    head: () => head.get() ?? 0,
    /** Returns the difference between this log and the shipped one; `undefined` if it continues that. */
    differenceFrom: (shipped: ShippedLog): LogDifference | undefined => {
      const last = head.get() ?? 0;
      const own = hashAt.get(shipped.through);
      if (shipped.logId !== logId.get())
        return { kind: 'other-log', text: `the database has another log (${shipped.logId}) of this node` };
      if (last < shipped.through)
        return {
          kind: 'older',
          text: `the database has events of this log up to ${shipped.through}, and the log ends at ${last}`,
        };
      if (shipped.through === 0 || own === undefined || own === shipped.hash) return undefined;
      return { kind: 'forked', text: `event ${shipped.through} differs in the database`, hash: own };
    },
    hashAt: (sequence: number) => hashAt.get(sequence),
    /** The time of the first event after a sequence, in milliseconds since the epoch. */
    timeAfter: (sequence: number) => timeAfter.get(sequence),
    keys: () => keys.all(),
    /** The next events after a sequence, and the checkpoints up to the last of them after `signed`. */
    batch: (after: number, signed: number): Batch => {
      const found = events.all(after, eventsMax);
      const through = found.at(-1)?.sequence ?? after;
      const texts: Batch['payloads'][number][] = [];
      let last = through;
      let characters = 0;
      for (const payload of payloads.iterate(after, through)) {
        characters += payload.text.length;
        if (characters > charactersMax && payload.sequence > (found[0]?.sequence ?? 0)) {
          last = payload.sequence - 1;
          break;
        }
        texts.push(payload);
      }
      return {
        events: found.filter(({ sequence }) => sequence <= last),
        payloads: texts,
        checkpoints: checkpoints.all(signed, last),
      };
    },
  };
}
