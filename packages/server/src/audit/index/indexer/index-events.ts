import type { AuditEvent } from '@ambit/core/audit';
import { type CallEvent, isCallEvent, type LogPruned } from '@ambit/core/internal';
import { parseEvent } from '../../log/parse-event.ts';
import type { LogSource } from '../log-source.ts';
import type { IndexParts } from './index-parts.ts';
import { pruneIndex } from './prune-index.ts';
import { type RollUps, rollUps } from './roll-ups.ts';
import type { Shape } from './shapes.ts';

/** Takes events of the log into the index, in order and each once, whoever else does the same meanwhile. */
export interface EventIndexer {
  /** Takes in the next events up to `through`, a bounded number of them; returns where the index stands then. */
  step(through: number): number;
}

/** So few that a question waits for tens of milliseconds; far behind, so many that a transaction costs little beside them. */
const eventsMax = { near: 2000, far: 10_000 };

/** Then whoever asks waits for longer than one step anyhow. */
const farBehind = 50_000;

/** What the index knows of a record. */
export interface Entry {
  sequence: number;
  shape: Shape;
  time: number;
  ended: number | null;
  durationMs: number | null;
  parentId: string | null;
  /** The number that it is counted under; absent for a record that is not in the index yet. */
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

  const batch = index.transaction((most: number): number => {
    const seen = index.pragma('data_version', { simple: true });
    if (seen !== dataVersion) {
      shapes.reload();
      texts.reload();
      dataVersion = seen;
    }
    const from = parts.through();
    const events = log.after(from, most, most - from > farBehind ? eventsMax.far : eventsMax.near);
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
        // The transaction came to nothing, and so does what was kept of it here.
        sums.clear();
        dataVersion = undefined;
        throw error;
      }
    },
  };
}

interface Taken {
  entries: Entry[];
  /** The record that an event belongs to, for each event. */
  recordOf: Map<number, number>;
  pruned: LogPruned[];
}

/** What a batch of events says, each record once however many of its events are in it. */
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
    // No event at all: verifying names it, and the others are still to be asked for.
    if (event === undefined) continue;
    if (!isCallEvent(event)) {
      if (event.kind === 'log.pruned') taken.pruned.push(event);
      continue;
    }
    let entry = entries.get(event.executionId) ?? entryOf(sequence, event);
    if (entry === undefined) {
      const opening = log.openingOf(event.executionId);
      const before = opening === undefined ? undefined : stored(opening);
      // Its opening has been pruned, and with it the record.
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

/** `undefined` where a text is none. */
export function eventIn(body: string): AuditEvent | undefined {
  try {
    const event = parseEvent(body);
    return 'kind' in event ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Begins a record; `undefined` for an event that only ends one. */
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

/** Ends it. */
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
