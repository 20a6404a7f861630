import type { DaemonEvent } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { eventIn } from './next-records.ts';

/** A query for events outside calls, newest first. */
export interface DaemonEventQuery {
  /** Absent: every kind. */
  kinds?: readonly DaemonEvent['kind'][] | undefined;
  /** Only events before this sequence: `next` of the previous page. */
  before?: number;
  limit: number;
}

/** A page of them. `next` is `null` on the last page; a page with `partial` ended early. */
export interface DaemonEventPage {
  events: {
    sequence: number;
    hash: string;
    event: { kind: string; time: number; [field: string]: unknown };
  }[];
  next: number | null;
  partial?: true;
}

/** The sequences that are read together. */
const blockSequences = 8192;
/** The time that a question may read the log before its page ends early. */
const searchMs = 200;

/**
 * Finds events outside calls in a log, which has no index of them. The kinds in each block of sequences are remembered,
 * so only the first questions read a long log.
 */
export function daemonEvents(log: Database): (query: DaemonEventQuery) => DaemonEventPage {
  const extent = log.prepare<[], { first: number | null; last: number | null }>(
    'SELECT min(sequence) AS first, max(sequence) AS last FROM log',
  );
  const inBlock = log.prepare<[number, number], { sequence: number; body: string; hash: string }>(
    `SELECT sequence, body, 'sha256:' || lower(hex(hash)) AS hash FROM log
     WHERE sequence >= ? AND sequence < ? AND execution_id IS NULL ORDER BY sequence DESC`,
  );
  const kindsIn = new Map<number, ReadonlySet<string>>();

  return ({ kinds, before = Number.MAX_SAFE_INTEGER, limit }) => {
    const { first, last } = extent.get() ?? { first: null, last: null };
    if (first === null || last === null) return { events: [], next: null };
    const until = performance.now() + searchMs;
    const wanted = kinds && new Set<string>(kinds);
    const events: DaemonEventPage['events'] = [];
    let high = Math.min(before, last + 1);
    while (high > first) {
      if (performance.now() > until) return { events, next: high, partial: true };
      const block = Math.floor((high - 1) / blockSequences);
      const from = block * blockSequences;
      const known = kindsIn.get(block);
      if (known === undefined || includesAny(known, wanted)) {
        const end = from + blockSequences;
        // Verification reports an invalid event, and the others can be read.
        const found = inBlock.all(from, end).flatMap(({ sequence, hash, body }) => {
          const event = eventIn(body);
          return event === undefined ? [] : [{ sequence, hash, event: { ...event } }];
        });
        // Later events can still be added to the last block.
        if (end <= last) kindsIn.set(block, new Set(found.map(({ event }) => event.kind)));
        for (const each of found) {
          if (each.sequence >= high || wanted?.has(each.event.kind) === false) continue;
          if (events.length === limit) return { events, next: events.at(-1)?.sequence ?? null };
          events.push(each);
        }
      }
      high = from;
    }
    return { events, next: null };
  };
}

function includesAny(known: ReadonlySet<string>, wanted: ReadonlySet<string> | undefined): boolean {
  return [...known].some((kind) => wanted?.has(kind) ?? true);
}
