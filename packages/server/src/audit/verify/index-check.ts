import { type Flaw, isCallEvent } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { blockSequences } from '../index/log-index.ts';
import type { PlacedEvent } from '../index/log-source.ts';
import { type CallRow, eventIn, rowIn } from '../index/next-records.ts';
import { callsOfBlock, indexedThrough } from '../index/sqlite/event-indexer.ts';
import { indexFileOf, isDamage, lookAtIndex } from '../index/sqlite/index-file.ts';
import { textIndex } from '../index/sqlite/text-index.ts';
import type { StoredLog } from './stored-log.ts';

/** The sequences up to which a log's events and payloads have been pruned. */
interface Extent {
  events: number;
  payloads: number;
}

/** The index of a log, as of one moment. */
export interface IndexCheck {
  /** `undefined` if this log has no index; the next query builds one. */
  compare(log: StoredLog, pruned: Extent): Comparison | undefined;
  close(): void;
}

/** The result of comparing an index: the last event it covers, and the first record that it has wrong. */
interface Comparison {
  through: number;
  flaw: Flaw | undefined;
}

const pageEvents = 2000;

/**
 * Opens the index of a log. Call it before the log's own transaction begins: then the log has
 * everything that the index has.
 */
export function indexCheck(logFile: string): IndexCheck {
  let index: Database | undefined;
  const unlessDamaged = (use: () => Comparison | undefined): Comparison | undefined => {
    try {
      return use();
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { through: 0, flaw: flawed(null, `the index is damaged (${(error as Error).message})`) };
    }
  };
  const damage = unlessDamaged(() => {
    index = lookAtIndex(indexFileOf(logFile));
    return undefined;
  });
  return {
    compare: (log, pruned) => damage ?? unlessDamaged(() => index && compareIndex(index, log, pruned)),
    close: () => index?.close(),
  };
}

/**
 * Compares an index with its log, record by record, and its derived tables with its records.
 * Returns `undefined` for an index of another log or of a replaced history of this one; the next
 * reader discards it. Checks that each payload is indexed, but not its words.
 */
function compareIndex(index: Database, log: StoredLog, pruned: Extent): Comparison | undefined {
  const through = index.prepare<[], number>(indexedThrough).pluck().get() ?? 0;
  if (!follows(index, log, through, pruned)) return undefined;
  const flaw = recordFlaw(index, log, through, pruned) ?? derivedFlaw(index);
  return { through, flaw };
}

function follows(index: Database, log: StoredLog, through: number, pruned: Extent): boolean {
  const meta = new Map(index.prepare<[], [string, string]>('SELECT key, value FROM meta').raw().all());
  if (through === 0 || meta.get('log_id') !== log.logId) return false;
  // Pruned events have no hash any more; the ones after them were compared before.
  if (through <= pruned.events) return true;
  const [last] = log.events(through - 1, 1);
  return last?.sequence === through && last.hash === meta.get('hash');
}

function recordFlaw(index: Database, log: StoredLog, through: number, pruned: Extent): Flaw | undefined {
  const find = index.prepare<[number], CallRow>(
    `SELECT sequence, started, ended, duration, unknown, parent, skill, is_unknown AS isUnknown, actor, via, tier,
       outcome, denied FROM calls JOIN kinds ON kinds.id = kind WHERE sequence = ?`,
  );
  const count = index
    .prepare<[number], number>('SELECT count(*) FROM calls NOT INDEXED WHERE sequence > ?')
    .pluck();
  const hasText = textIndex(index).finder();
  const open = new Map<string, PlacedEvent[]>();
  let compared = 0;
  const unlike = (events: readonly PlacedEvent[]): Flaw | undefined => {
    const row = rowIn(events);
    // Its first event was pruned, and the record with it.
    if (row === undefined) return undefined;
    compared += 1;
    const begun = `the record that event ${row.sequence} begins`;
    const found = find.get(row.sequence);
    if (found === undefined) return flawed(row.sequence, `the index lacks ${begun}`);
    if (JSON.stringify(found) !== JSON.stringify(row))
      return flawed(row.sequence, `the index and the log differ on ${begun}`);
    for (const { sequence, event } of events)
      if ('stored' in event && sequence > pruned.payloads)
        if (!hasText(row.sequence, event.kind === 'call.started' ? 'input' : 'output'))
          return flawed(row.sequence, `the index lacks the stored payload of ${begun}`);
    return undefined;
  };
  for (let after = pruned.events; after < through; ) {
    const page = log.events(after, pageEvents).filter(({ sequence }) => sequence <= through);
    for (const { sequence, body } of page) {
      const event = eventIn(body);
      if (event === undefined || !isCallEvent(event)) continue;
      const events = [...(open.get(event.executionId) ?? []), { sequence, event }];
      if (event.kind === 'call.started') open.set(event.executionId, events);
      else {
        open.delete(event.executionId);
        const flaw = unlike(events);
        if (flaw !== undefined) return flaw;
      }
    }
    after = page.at(-1)?.sequence ?? through;
  }
  for (const events of open.values()) {
    const flaw = unlike(events);
    if (flaw !== undefined) return flaw;
  }
  return count.get(pruned.events) === compared
    ? undefined
    : flawed(null, 'the index has records that the log does not have');
}

function derivedFlaw(index: Database): Flaw | undefined {
  const outside = index.prepare(
    `SELECT 1 FROM calls LEFT JOIN blocks ON block = sequence / ${blockSequences}
     WHERE first IS NULL OR started < first OR started > last LIMIT 1`,
  );
  if (outside.get() !== undefined) return flawed(null, 'the times in the index do not match its records');
  const ofBlock = callsOfBlock(index);
  const packs = index.prepare<[], { block: number; calls: Buffer }>('SELECT block, calls FROM packs');
  for (const { block, calls } of packs.iterate())
    if (!calls.equals(ofBlock(block))) return flawed(null, 'the sums in the index do not match its records');
  return undefined;
}

function flawed(sequence: number | null, what: string): Flaw {
  return {
    reason: 'index',
    sequence,
    message: `${what}. Queries may be wrong; the log and exports are intact. Stop Ambit and delete the index; the next query builds a new one`,
  };
}
