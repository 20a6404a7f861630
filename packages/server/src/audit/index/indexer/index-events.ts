import type { AuditEvent } from '@ambit/core/audit';
import { type CallEvent, isCallEvent, type LogPruned } from '@ambit/core/internal';
import { parseEvent } from '../../log/event-row.ts';
import type { IndexParts } from './index-parts.ts';
import type { LogSource } from './log-source.ts';
import { pruneIndex } from './prune-index.ts';
import { type RollUps, rollUps } from './roll-ups.ts';
import type { Shape } from './shapes.ts';

/** Indexes events of the log in order, each once, even if another process does the same. */
export interface EventIndexer {
  /** Indexes the next events up to `through`, a bounded number; returns the last indexed one. */
  step(through: number): number;
}

/**
 * Small enough that a question waits tens of milliseconds; larger when far behind, to amortize the
 * cost of a transaction.
 */
const eventsMax = { near: 2000, far: 10_000 };

/** Questions then wait for more than one step anyway. */
const farBehind = 50_000;

/** What the index has of a record. */
export interface Entry {
  sequence: number;
  shape: Shape;
  time: number;
  ended: number | null;
  durationMs: number | null;
  parentId: string | null;
  /** The number of its shape; absent for a record that is not indexed yet. */
  countedAs?: number;
}

interface StoredEntry {
  shape: number;
  time: number;
  ended: number | null;
}

export function eventIndexer(log: LogSource, parts: IndexParts): EventIndexer {
  const { index, shapes, texts } = parts;
  const sums = rollUps(index);
  const find = index.prepare<[number], StoredEntry>(
    'SELECT shape, time, ended FROM records WHERE sequence = ?',
  );
  const insert = index.prepare(
    'INSERT INTO records (sequence, shape, time, ended, duration_ms, unknown, parent_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const close = index.prepare('UPDATE records SET shape = ?, ended = ?, duration_ms = ? WHERE sequence = ?');
  const setMeta = index.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  let dataVersion = index.pragma('data_version', { simple: true });

  const write = ({ sequence, shape, time, ended, durationMs, parentId, countedAs }: Entry): void => {
    const id = shapes.idOf({ ...shape, skill: shape.isUnknown ? null : shape.skill });
    const unknown = shape.isUnknown ? shape.skill : null;
    if (countedAs === undefined) insert.run(sequence, id, time, ended, durationMs, unknown, parentId);
    else {
      close.run(id, ended, durationMs, sequence);
      shapes.count(countedAs, -1);
    }
    shapes.count(id, 1);
  };

  const batch = index.transaction((upTo: number): number => {
    const seen = index.pragma('data_version', { simple: true });
    if (seen !== dataVersion) {
      shapes.reload();
      texts.reload();
      dataVersion = seen;
    }
    const from = parts.through();
    const events = log.after(from, upTo, upTo - from > farBehind ? eventsMax.far : eventsMax.near);
    const last = events.at(-1)?.sequence;
    if (last === undefined) return from;
    const taken = takenIn(events, log, sums, (sequence) => {
      const stored = find.get(sequence);
      return stored && { ...stored, shape: shapes.get(stored.shape), countedAs: stored.shape };
    });
    for (const entry of taken.entries) write(entry);
    const kept = log
      .payloads(from + 1, last)
      .flatMap(({ sequence, of, text }) => {
        const record = taken.recordOf.get(sequence);
        return record === undefined ? [] : [{ record, of, text }];
      })
      .sort((a, b) => a.record - b.record || (a.of < b.of ? -1 : 1));
    for (const { record, of, text } of kept) texts.add(record, of, text);
    shapes.flush();
    sums.flush();
    for (const pruned of taken.pruned) pruneIndex(parts, pruned);
    setMeta.run('through', String(last));
    setMeta.run('hash', log.hashAt(last)?.toString('hex') ?? '');
    setMeta.run('log_id', log.logId());
    return last;
  }).immediate;

  return {
    step(through) {
      try {
        return batch(through);
      } catch (error) {
        // The transaction was rolled back, so discard its cached state.
        sums.clear();
        dataVersion = undefined;
        throw error;
      }
    },
  };
}

interface Taken {
  entries: Entry[];
  /** By event: its record. */
  recordOf: Map<number, number>;
  pruned: LogPruned[];
}

/** The changes of a batch of events, each record once. */
function takenIn(
  events: readonly { sequence: number; body: string }[],
  log: LogSource,
  sums: RollUps,
  stored: (sequence: number) => (Pick<Entry, 'shape' | 'time' | 'ended'> & { countedAs: number }) | undefined,
): Taken {
  const entries = new Map<string, Entry>();
  const taken: Taken = { entries: [], recordOf: new Map(), pruned: [] };
  for (const { sequence, body } of events) {
    const event = eventIn(body);
    // An invalid event: verification reports it, and the others remain searchable.
    if (event === undefined) continue;
    if (!isCallEvent(event)) {
      if (event.kind === 'log.pruned') taken.pruned.push(event);
      continue;
    }
    let entry = entries.get(event.executionId) ?? entryOf(sequence, event);
    if (entry === undefined) {
      const opening = log.openingOf(event.executionId);
      const before = opening === undefined ? undefined : stored(opening);
      // Its first event was pruned, and the record with it.
      if (opening === undefined || before === undefined) continue;
      entry = { sequence: opening, durationMs: null, parentId: null, ...before };
    }
    entries.set(event.executionId, entry);
    taken.recordOf.set(sequence, entry.sequence);
    const skill = entry.shape.isUnknown ? null : entry.shape.skill;
    if (entry.sequence === sequence) sums.opened(sequence, entry.time, skill);
    if (event.kind === 'call.started') continue;
    endEntry(entry, sequence, event);
    sums.closed(entry.sequence, entry.time, skill, entry.shape.outcome, entry.durationMs);
  }
  taken.entries = [...entries.values()];
  return taken;
}

/** `undefined` for an invalid event. */
export function eventIn(body: string): AuditEvent | undefined {
  try {
    const event = parseEvent(body);
    return 'kind' in event ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Starts a record; `undefined` for an event that only ends one. */
export function entryOf(sequence: number, event: CallEvent): Entry | undefined {
  if (!('via' in event)) return undefined;
  const { time, via, actor } = event;
  const entry = { sequence, time, ended: null, durationMs: null };
  const shape = { actor, via, outcome: 'running' as const, denied: [] };
  if (event.kind !== 'call.started')
    return { ...entry, shape: { ...shape, skill: null, isUnknown: false, tier: null }, parentId: null };
  const { skill, parentId = null } = event;
  const isUnknown = !('tier' in skill);
  const tier = isUnknown ? null : skill.tier;
  return { ...entry, shape: { ...shape, skill: skill.id, isUnknown, tier }, parentId };
}

/** Ends a record. */
export function endEntry(
  entry: Entry,
  sequence: number,
  event: Exclude<CallEvent, { kind: 'call.started' }>,
): void {
  entry.ended = sequence;
  switch (event.kind) {
    case 'call.finished':
      entry.durationMs = event.usage.durationMs;
      entry.shape = { ...entry.shape, outcome: event.outcome, denied: kindsOf(event.denied ?? []) };
      return;
    case 'call.denied':
      entry.shape = { ...entry.shape, outcome: 'denied', denied: kindsOf(event.denied) };
      return;
    case 'call.interrupted':
      entry.shape = { ...entry.shape, outcome: 'interrupted' };
      return;
    case 'request.denied':
    case 'auth.rejected':
      entry.shape = { ...entry.shape, outcome: 'denied' };
      return;
    default:
      event satisfies never;
  }
}

function kindsOf(denied: readonly { capability: string }[]): string[] {
  return [...new Set(denied.map(({ capability }) => capability))].sort();
}
