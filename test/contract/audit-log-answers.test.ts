import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AuditEvent,
  type AuditLog,
  type EntryPoint,
  entryPoints,
  type RecordedPayload,
  type RecordFilter,
  type StatsQuery,
} from '../../packages/core/src/audit.ts';
import { recordOutcomes } from '../../packages/core/src/outcome.ts';
import { finished, rejection, started, usage } from '../../packages/server/src/audit/testing/audit-files.ts';
import { auditLogs } from '../../packages/server/src/audit/testing/audit-indexes.ts';
import { openAuditLog } from '../../packages/server/src/index.ts';
import { isWhole } from '../support/whole.ts';
import { memoryAuditLog } from './memory-audit-log.ts';

test.each(auditLogs)('answers every query in $name like the log in memory', async ({ options, view }) => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(question, { minLength: 5, maxLength: 25 }),
      async (calls, questions) => {
        const folder = await mkdtemp(join(tmpdir(), 'ambit-audit-'));
        const logs = [
          memoryAuditLog(),
          view(await openAuditLog({ file: join(folder, 'audit.db'), ...(await options()) })),
        ] as const;
        try {
          const written = calls.flatMap(eventsOf).sort((a, b) => a.at - b.at);
          const half = Math.floor(written.length / 2);
          for (const part of [written.slice(0, half), written.slice(half)]) {
            for (const log of logs)
              await Promise.all(part.map(({ event, payload }) => log.append(event, payload)));
            // An existing index continues from its last position.
            await logs[1].count({});
          }
          for (const each of questions) {
            const [inMemory, inDatabase] = [await answers(logs[0], each), await answers(logs[1], each)];
            expect(inDatabase).toEqual(inMemory);
          }
        } finally {
          await logs[1].close();
          await rm(folder, { recursive: true });
        }
      },
    ),
    { numRuns: isWhole ? 12 : 4 },
  );
});

const start = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
/** Times over several hours, not in order. */
const time = fc
  .oneof(
    fc.integer({ min: 0, max: 4 * hour }),
    fc.integer({ min: 0, max: 8 }).map((halves) => (halves * hour) / 2),
  )
  .map((past) => start + past);
/** Names and texts that are patterns, that fold, or that PostgreSQL cannot store unchanged. */
const skill = fc.constantFrom(
  'csv',
  'diff',
  'Csv',
  'c%',
  'c_v',
  "c's",
  '"csv"',
  'csv\\',
  'csv\0',
  '😀',
  'ß',
  '',
);
const actor = fc.constantFrom('key', 'ada', 'Key', 'k_y', 'k%');
const parents = ["p'", 'p\0'];
const capability = fc.constantFrom('network', 'filesystem.read', 'run');
const word = fc.constantFrom(
  'Öl',
  'error',
  'ERROR 7',
  'ab',
  '"x" OR',
  'Straße',
  'İ',
  'ΑΣ ',
  '%_',
  '\0n',
  '🦊🦊🦊',
  'a',
  ...[
    '%',
    '_',
    '\\',
    '"',
    "'",
    '\0',
    'ı',
    'I',
    'ß',
    'ẞ',
    'Σ',
    'ς',
    'σ',
    'é',
    'e\u0301',
    'É',
    'a%c',
    'a_c',
    'a\\c',
    ' ',
    '\n',
  ],
  ...['日本語', '\\u0000', '$1', 'ﬁ', 'Ⅷ', 'Ǆ', '\ufffd', '--', ';', '\u0130\u0307', 'K'],
);
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(''));

interface Call {
  id: number;
  kind: 'known' | 'unknown' | 'rejected' | 'link';
  skill: string;
  tier: 'local' | 'verified';
  actor: string;
  via: EntryPoint;
  opens: { at: number; time: number };
  end: { at: number; time: number; how: string; denied: string[]; durationMs: number } | null;
  input: string | null;
  output: string | null;
}

const history = fc
  .array(
    fc.record<Omit<Call, 'id'>>({
      kind: fc.constantFrom('known', 'known', 'unknown', 'rejected', 'link'),
      skill,
      tier: fc.constantFrom('local', 'verified'),
      actor,
      via: fc.constantFrom(...entryPoints),
      opens: fc.record({ at: fc.nat(100), time }),
      end: fc.option(
        fc.record({
          at: fc.nat(200),
          time,
          how: fc.constantFrom('succeeded', 'failed', 'timed-out', 'denied', 'interrupted'),
          denied: fc.array(capability, { maxLength: 3 }),
          durationMs: fc.double({ min: 0, max: 1e5, noNaN: true }),
        }),
      ),
      input: fc.option(text),
      output: fc.option(text),
    }),
    { maxLength: 60 },
  )
  .map((calls) => calls.map((call, id) => ({ ...call, id })));

function eventsOf(call: Call): { at: number; event: AuditEvent; payload?: RecordedPayload }[] {
  const executionId = `e${call.id}`;
  if (call.kind === 'rejected') {
    const event = { ...rejection(executionId), via: call.via, time: call.opens.time };
    return [{ at: call.opens.at, event }];
  }
  const begun = started(executionId, {
    via: call.via,
    time: call.opens.time,
    actor: call.actor,
    ...(call.kind === 'link' ? { parentId: parents[call.id % 2] ?? '' } : {}),
    skill:
      call.kind === 'unknown'
        ? { id: call.skill }
        : { id: call.skill, version: null, digest: 'sha256:d', tier: call.tier },
  });
  const first = { at: call.opens.at, event: begun, ...payload('input', call.input) };
  if (call.end === null) return [first];
  const { how, denied: kinds, durationMs, time: endTime } = call.end;
  const denied = kinds.map((kind) => ({
    capability: kind as 'network',
    requested: 'x',
    reason: 'no',
    remedy: 'none',
  }));
  const at = Math.max(call.opens.at, call.end.at);
  const end = { executionId, time: endTime };
  if (how === 'interrupted') return [first, { at, event: { ...end, kind: 'call.interrupted' } }];
  if (how === 'denied')
    return [
      first,
      { at, event: { ...end, kind: 'call.denied', code: 'CAPABILITY_DENIED', message: 'no', denied } },
    ];
  const event = finished(executionId, {
    time: endTime,
    usage: usage(durationMs),
    outcome: how as 'failed',
    denied,
  });
  return [first, { at, event, ...payload('output', call.output) }];
}

function payload(of: RecordedPayload['of'], kept: string | null): { payload?: RecordedPayload } {
  return kept === null ? {} : { payload: { of, text: kept, isCut: kept.length > 9 } };
}

interface Question {
  filter: RecordFilter;
  limit: number;
  stats: StatsQuery;
}

const question = fc
  .record({
    skill,
    actor,
    outcome: fc.constantFrom(...recordOutcomes),
    tier: fc.constantFrom('local' as const, 'verified' as const),
    via: fc.constantFrom(...entryPoints),
    denied: capability,
    since: time,
    until: time,
    text: fc.oneof(
      word,
      text.map((all) => all.slice(0, 6).toWellFormed()),
    ),
    executionId: fc.nat(70).map((id) => `e${id}`),
    parentId: fc.constantFrom(...parents),
    limit: fc.integer({ min: 1, max: 6 }),
    bucketMs: fc.option(fc.constantFrom(60_000, 1_000_000, hour), { nil: undefined }),
    keep: fc.subarray(
      [
        'skill',
        'actor',
        'outcome',
        'tier',
        'via',
        'denied',
        'since',
        'until',
        'text',
        'executionId',
        'parentId',
      ] as const,
      { maxLength: 3 },
    ),
  })
  .map(({ limit, keep, bucketMs, ...filters }): Question => {
    const filter: RecordFilter = Object.fromEntries(keep.map((key) => [key, filters[key]]));
    const { skill: named, since, until = start + 5 * hour } = filter;
    const stats = {
      ...(named && { skill: named }),
      ...(since && { since }),
      until,
      ...(bucketMs && { bucketMs }),
    };
    return { filter, limit, stats };
  });

async function answers(log: AuditLog, { filter, limit, stats }: Question): Promise<unknown> {
  const pages = [];
  let before: number | undefined;
  do {
    const page = await log.query({ ...filter, limit, ...(before === undefined ? {} : { before }) });
    pages.push(page);
    before = page.next ?? undefined;
  } while (before !== undefined);
  const exported = [];
  for await (const record of log.export(filter)) exported.push(record);
  return {
    filter,
    pages,
    exported,
    count: await log.count(filter),
    stats: await log.stats(stats),
    events: await log
      .events(3, 4)
      .then((events) => events.map(({ sequence, event }) => ({ sequence, event }))),
  };
}
