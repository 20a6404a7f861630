// Threat model: T229

import { type AuditEvent, type AuditReader, type CallRecord, recordFits } from '@ambit/core/audit';
import { describe, expect, test } from 'vitest';
import { visibleAudit } from './visible-audit.ts';

/** Oldest first: who called what. */
const calls: [actor: string | null, skill: string | null][] = [
  ['bot', 'a'],
  ['bot', 'secret'],
  ['key', 'a'],
  ['key', 'secret'],
  ['bot', null],
  [null, null],
  ['key', 'b'],
];
const records = calls.map(recordOf);
const bound = { actor: 'bot', skills: new Set(['a', 'b']) };

test('shows the records of its skills and of its own requests in pages', async () => {
  const { query } = visibleAudit(readerOf(records), bound);
  expect(sequences(await query({ limit: 50 }))).toEqual([[7, 5, 3, 2, 1], null]);
  expect(sequences(await query({ limit: 2 }))).toEqual([[7, 5], 5]);
  expect(sequences(await query({ limit: 2, before: 5 }))).toEqual([[3, 2], 2]);
  expect(sequences(await query({ limit: 2, before: 2 }))).toEqual([[1], null]);
  expect(sequences(await query({ limit: 1, executionId: 'e4' }))).toEqual([[], null]);
  expect(sequences(await query({ limit: 1, executionId: 'e2' }))).toEqual([[2], null]);
  expect(sequences(await query({ limit: 5, skill: 'secret' }))).toEqual([[2], null]);
});

test('a page that needs a long search is partial, and the next one continues', async () => {
  const many = [
    recordOf(['key', 'a'], 0),
    ...Array.from({ length: 5000 }, (_, at) => recordOf(['key', 'secret'], at + 1)),
  ];
  const { query } = visibleAudit(readerOf(many), bound);
  const page = await query({ limit: 50 });
  expect(page).toEqual({ records: [], next: 1002, partial: true });
  expect(sequences(await query({ limit: 50, before: 1002 }))).toEqual([[1], null]);
});

test.each<[filter: object, count: number]>([
  [{}, 5],
  [{ skill: 'a' }, 2],
  [{ skill: 'secret' }, 1],
  [{ actor: 'bot' }, 3],
  [{ actor: 'key' }, 2],
  [{ actor: 'key', skill: 'secret' }, 0],
  [{ actor: 'bot', skill: 'secret' }, 1],
])('counts for %j what it would show', async (filter, count) => {
  const { count: counted, query } = visibleAudit(readerOf(records), bound);
  expect(await counted(filter)).toBe(count);
  expect((await query({ ...filter, limit: 50 })).records).toHaveLength(count);
});

test('statistics need one of its skills', async () => {
  const { stats } = visibleAudit(readerOf(records), bound);
  expect(await stats({ skill: 'a', since: 1 })).toEqual({ asked: { skill: 'a', since: 1 } });
  expect(await stats({ skill: 'secret' })).toBeUndefined();
  expect(await stats({})).toBeUndefined();
  const one = visibleAudit(readerOf(records), { actor: 'bot', skills: new Set(['a']) });
  expect(await one.stats({})).toEqual({ asked: { skill: 'a' } });
});

describe('events as they are written', () => {
  const started = (executionId: string, actor: string, id: string) =>
    ({ kind: 'call.started', executionId, actor, skill: { id } }) as AuditEvent;
  const ended = (executionId: string) => ({ kind: 'call.finished', executionId }) as AuditEvent;
  const denied = (actor: string | null) =>
    ({ kind: 'request.denied', executionId: 'x', actor }) as AuditEvent;
  const daemon = { kind: 'skill.changed', skill: { id: 'secret' } } as AuditEvent;
  const events = [
    started('n1', 'key', 'a'),
    started('n2', 'key', 'secret'),
    started('n3', 'bot', 'secret'),
    ended('n1'),
    ended('n2'),
    ended('n3'),
    denied('bot'),
    denied('key'),
    denied(null),
    daemon,
    // These began before the filter.
    ended('e3'),
    ended('e4'),
  ];

  test('are visible if their record is', async () => {
    const isVisible = visibleAudit(readerOf(records), bound).eventFilter();
    const shown: boolean[] = [];
    for (const event of events) shown.push(await isVisible(event));
    expect(shown).toEqual([true, false, true, true, false, true, true, false, false, false, true, false]);
  });
});

function recordOf([actor, skill]: (typeof calls)[number], index: number): CallRecord {
  return {
    sequence: index + 1,
    executionId: `e${index + 1}`,
    actor,
    skill: skill === null ? null : { id: skill },
    startedAt: new Date(0).toISOString(),
  } as CallRecord;
}

/** A log in an array, with the methods of the real one. */
function readerOf(all: readonly CallRecord[]): AuditReader {
  const fitting = (filter: object) => all.filter((record) => recordFits(record, filter));
  return {
    async query({ limit, before = Number.POSITIVE_INFINITY, ...filter }) {
      const older = fitting(filter)
        .filter(({ sequence }) => sequence < before)
        .reverse();
      const page = older.slice(0, limit);
      return { records: page, next: older.length > limit ? (page.at(-1)?.sequence ?? null) : null };
    },
    count: async (filter) => fitting(filter).length,
    stats: async (asked) => ({ asked }) as never,
    async *export(filter) {
      yield* fitting(filter);
    },
    events: async () => [],
    close: async () => undefined,
  };
}

function sequences({ records: shown, next }: { records: CallRecord[]; next: number | null }) {
  return [shown.map(({ sequence }) => sequence), next];
}
