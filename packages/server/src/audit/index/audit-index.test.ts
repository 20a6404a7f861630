import { rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AuditEvent,
  type AuditLog,
  type RecordedPayload,
  type RecordFilter,
  recordFits,
  statsOf,
} from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import { byHand } from '../../store/testing/by-hand.ts';
import { inDatabase } from '../../store/testing/postgres-databases.ts';
import { openAuditLog } from '../open-audit-log.ts';
import { finished, rejection, started, usage } from '../testing/audit-files.ts';
import { auditIndexes } from '../testing/audit-indexes.ts';

test.each<[claim: string, change: (indexFile: string) => void]>([
  ['unchanged', () => undefined],
  ['missing', removeAll],
  ['of another version', (indexFile) => byHand(indexFile, 'PRAGMA user_version = 1000')],
])('an index that is %s is used or rebuilt without a note, with mode 600', async (_, change) => {
  const { file, indexFile, log } = await logOf(3);
  expect(await ids(log)).toEqual(['e3', 'e2', 'e1']);
  await log.close();
  change(indexFile);
  const again = await reopened(file);
  expect(await ids(again)).toEqual(['e3', 'e2', 'e1']);
  expect(again.notes).toEqual([]);
  expect(statSync(indexFile).mode & 0o777).toBe(0o600);
});

test.each([
  ['not a database', (indexFile: string) => writeFileSync(indexFile, 'x'.repeat(5000)), /damaged/],
  ['damaged', overwritePages, /damaged/],
  [
    'of another log',
    (indexFile: string) => byHand(indexFile, "UPDATE meta SET value = 'x' WHERE key = 'log_id'"),
    /belongs to another log/,
  ],
  [
    'ahead of the log',
    (indexFile: string) => byHand(indexFile, "UPDATE meta SET value = '999' WHERE key = 'through'"),
    /has more events/,
  ],
  [
    'of a replaced log',
    (indexFile: string) => byHand(indexFile, "UPDATE meta SET value = '00' WHERE key = 'hash'"),
    /the log was replaced/,
  ],
])('an index that is %s is rebuilt, with a note', async (_, spoil, why) => {
  const { file, indexFile, log } = await logOf(300);
  await log.count({});
  await log.close();
  await spoil(indexFile);
  const again = await reopened(file);
  expect((await ids(again)).length).toBe(300);
  expect(again.notes).toEqual([expect.stringMatching(why)]);
});

describe.each(auditIndexes)('an index in $name', ({ options }) => {
  test('pruned events are in no result, and the others are', async () => {
    const { file, postgres, log } = await logOf(6, { input: 'needle', ...(await options()) });
    expect(await log.count({ text: 'NEEDLE' })).toBe(6);
    await log.close();
    prune(file, 'events', 4);
    const pruned = await reopened(file, { postgres });
    const later = await reopened(file, { copy: 'again.db', ...(await options()) });
    for (const each of [pruned, later]) {
      expect(await ids(each)).toEqual(['e6', 'e5']);
      expect(await each.count({})).toBe(2);
      expect(await each.count({ text: 'needle' })).toBe(2);
      expect((await each.stats({})).all.calls).toBe(2);
      expect(await ids(each, { since: 0, until: 5500 })).toEqual(['e5']);
    }
  });

  test('pruned payloads are not found any more, and their records are', async () => {
    const { file, indexFile, postgres, log } = await logOf(6, { input: 'needle', ...(await options()) });
    expect(await log.count({ text: 'needle' })).toBe(6);
    await log.close();
    prune(file, 'payloads', 4);
    const pruned = await reopened(file, { postgres });
    expect(await ids(pruned, { text: 'needle' })).toEqual(['e6', 'e5']);
    expect(await pruned.count({})).toBe(6);
    await pruned.close();
    if (postgres !== null) {
      expect(await inDatabase(postgres, 'SELECT record FROM ambit_audit.texts ORDER BY 1')).toEqual([
        ...[{ record: '5' }, { record: '6' }],
      ]);
      return;
    }
    const index = new Sqlite(indexFile, { readonly: true });
    expect(index.prepare(`SELECT count(*) FROM text_0 WHERE text_0 MATCH '"nee"'`).pluck().get()).toBe(2);
    index.close();
  });

  test('statistics of many calls have exact counts, and percentiles within one percent', async () => {
    const { file, postgres, log } = await logOf(0, await options());
    await log.close();
    const minute = 60_000;
    // More than the records of a block, which are packed.
    bulk(file, 9000, (call) => ({
      time: call * 971,
      durationMs: 0.05 * 1.0009 ** call,
      skill: `s${call % 3}`,
    }));
    const many = await reopened(file, { postgres });
    const records = [];
    for await (const record of many.export({})) records.push(record);
    expect(records.length).toBe(9000);
    for (const query of [
      {},
      { skill: 's1' },
      { since: 3 * minute + 17, until: 140 * minute + 1234 },
      { since: 5 * minute, until: 140 * minute, bucketMs: 20 * minute, skill: 's2' },
      { since: 5 * minute, until: 140 * minute, bucketMs: 20 * minute },
    ]) {
      const [found, exact] = [await many.stats(query), statsOf(records, query, Date.now())];
      expect(withoutTimes(found)).toEqual(withoutTimes(exact));
      for (const [at, each] of [found.all, ...found.bySkill, ...found.overTime].entries()) {
        const meant = [exact.all, ...exact.bySkill, ...exact.overTime][at]?.durationMs;
        for (const share of ['p50', 'p95', 'p99'] as const)
          expect(Math.abs((each.durationMs?.[share] ?? 0) / (meant?.[share] ?? 0) - 1)).toBeLessThan(0.0101);
      }
    }
  });

  test('a query that would read too much ends early with a partial page, and continues where it stopped', async () => {
    const { file, postgres, log } = await logOf(0, await options());
    await log.close();
    bulk(file, 3000, (call) => ({
      time: call,
      durationMs: 1,
      skill: 's',
      input: call === 5 ? 'ab' : 'none of it',
    }));
    const many = await reopened(file, { postgres });
    const first = await many.query({ text: 'ab', limit: 10 });
    expect(first).toEqual({ records: [], next: expect.any(Number), partial: true });
    const found = [];
    for (let next = first.next; next !== null; ) {
      const page = await many.query({ text: 'ab', limit: 10, before: next });
      found.push(...page.records.map(({ executionId }) => executionId));
      next = page.next;
    }
    expect(found).toEqual(['e5']);
    expect(await many.count({ text: 'ab' })).toBe(1);
  });

  test('a rare text in both the input and the output of old calls is found once per call', async () => {
    const { file, postgres, log } = await logOf(0, await options());
    await log.close();
    bulk(file, 3000, (call) => {
      const text = call % 1000 === 5 ? 'a needle' : 'some hay';
      return { time: call, durationMs: 1, skill: `s${call % 2}`, input: text, output: text };
    });
    const many = await reopened(file, { postgres });
    const page = (before?: number) => many.query({ text: 'NEEDLE', limit: 2, ...(before && { before }) });
    const [first, second] = [await page(), await page(2011)];
    expect(first).toMatchObject({
      records: [{ executionId: 'e2005' }, { executionId: 'e1005' }],
      next: 2011,
    });
    expect(second).toMatchObject({ records: [{ executionId: 'e5' }], next: null });
    expect(await many.count({ text: 'needle', skill: 's1' })).toBe(3);
    expect(await many.query({ text: 'needle', skill: 's0', limit: 1 })).toEqual({ records: [], next: null });
  });

  test('old records are found by any combination of filters, page by page', async () => {
    const { file, postgres, log } = await logOf(0, await options());
    await log.close();
    bulk(file, 4000, (call) => ({
      time: (call % 1000) * 1000,
      durationMs: 1,
      // The newest are all alike, so skipping them does not find the rest.
      skill: call < 1500 ? `s${call % 3}` : 's9',
      actor: call < 1500 ? `a${call % 5}` : 'a9',
      isUnknown: call % 7 === 0,
    }));
    const many = await reopened(file, { postgres });
    const records = [];
    for await (const record of many.export({})) records.push(record);
    for (const filter of [
      { skill: 's1' },
      { actor: 'a3' },
      { skill: 's2', actor: 'a4' },
      { skill: 's0', tier: 'local' as const },
      { actor: 'a1', since: 100_000, until: 200_000 },
      { skill: 's1', actor: 'a9' },
    ]) {
      const meant = records.filter((record) => recordFits(record, filter)).reverse();
      const found = [];
      let next: number | null = Number.MAX_SAFE_INTEGER;
      while (next !== null) {
        const page: Awaited<ReturnType<AuditLog['query']>> = await many.query({
          ...filter,
          limit: 7,
          before: next,
        });
        found.push(...page.records);
        next = page.next;
      }
      expect(found).toEqual(meant);
      expect(await many.count(filter)).toBe(meant.length);
    }
  });

  test('an export has the log as of its start', async () => {
    const { file, postgres, log } = await logOf(0, await options());
    await log.close();
    bulk(file, 6000, () => ({ time: 1, durationMs: 1, skill: 's' }));
    const many = await reopened(file, { postgres });
    await many.append(started('open'));
    const records = many.export({})[Symbol.asyncIterator]();
    const seen = [(await records.next()).value];
    await many.append({ kind: 'call.interrupted', executionId: 'open', time: 9 });
    await many.append(rejection('late'));
    for (let next = await records.next(); next.done !== true; next = await records.next())
      seen.push(next.value);
    expect(seen.length).toBe(6001);
    expect(seen.at(-1)).toMatchObject({ executionId: 'open', outcome: 'running' });
    expect(await ids(many, { outcome: 'interrupted' })).toEqual(['open']);
  });
});

type Opened = AuditLog & { notes: string[] };

interface LogOptions {
  input?: string;
  postgres?: PostgresSettings | null;
}

async function logOf(calls: number, { input, postgres = null }: LogOptions = {}) {
  const folder = await temporaryFolder();
  const file = join(folder, 'audit.db');
  const log = await reopened(file, { postgres });
  await Promise.all(
    Array.from({ length: calls }, (_, at) =>
      log.append(
        input === undefined ? rejection(`e${at + 1}`) : started(`e${at + 1}`, { time: (at + 1) * 1000 }),
        kept(input),
      ),
    ),
  );
  return { file, indexFile: join(folder, 'audit-index.db'), postgres, log };
}

/** Opens a log, under another name with its own index. */
async function reopened(
  file: string,
  { copy, postgres = null }: { copy?: string; postgres?: PostgresSettings | null } = {},
): Promise<Opened> {
  const notes: string[] = [];
  const path = copy === undefined ? file : join(file, '..', copy);
  if (copy !== undefined) {
    const source = new Sqlite(file);
    await source.backup(path);
    source.close();
  }
  const log = await openAuditLog({ file: path, postgres, onNote: (note) => notes.push(note) });
  onTestFinished(() => log.close());
  return { ...log, notes };
}

function kept(text: string | undefined): RecordedPayload | undefined {
  return text === undefined ? undefined : { of: 'input', text, isCut: false };
}

interface Bulk {
  actor?: string;
  isUnknown?: boolean;
  time: number;
  durationMs: number;
  skill: string;
  input?: string;
  output?: string;
}

/** Writes calls without a chain, which is not verified here. */
function bulk(file: string, calls: number, callOf: (call: number) => Bulk): void {
  const database = new Sqlite(file);
  const insert = database.prepare(
    'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  const keep = database.prepare('INSERT INTO payloads (sequence, side, text, is_cut) VALUES (?, ?, ?, 0)');
  const hash = Buffer.alloc(32);
  const { skill: known } = started('');
  database.transaction(() => {
    for (let call = 0; call < calls; call += 1) {
      const { time, durationMs, skill, input, output, actor, isUnknown } = callOf(call);
      const id = `e${call}`;
      const opening = {
        ...started(id, { time }),
        ...(actor && { actor }),
        skill: isUnknown ? { id: skill } : { ...known, id: skill },
      };
      insert.run(call * 2 + 1, id, 1, canonicalJson(opening), hash);
      insert.run(
        call * 2 + 2,
        id,
        0,
        canonicalJson(finished(id, { time: time + 1, usage: usage(durationMs) })),
        hash,
      );
      if (input !== undefined) keep.run(call * 2 + 1, 'input', input);
      if (output !== undefined) keep.run(call * 2 + 2, 'output', output);
    }
  })();
  database.close();
}

/** Allowed by the log's own rules, because an event records it. */
function prune(file: string, what: 'events' | 'payloads', through: number): void {
  const database = new Sqlite(file);
  database
    .prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
    .run(`${what}_pruned_through`, String(through));
  database
    .prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
    .run('payloads_pruned_through', String(through));
  database.prepare('DELETE FROM payloads WHERE sequence <= ?').run(through);
  if (what === 'events') database.prepare('DELETE FROM log WHERE sequence <= ?').run(through);
  const event: AuditEvent = {
    kind: 'log.pruned',
    time: 1,
    what,
    through,
    hash: 'sha256:h',
    count: through,
    keyId: 'k',
    signature: 's',
  };
  database
    .prepare(
      'INSERT INTO log (sequence, execution_id, opens, body, hash) SELECT max(sequence) + 1, NULL, 0, ?, ? FROM log',
    )
    .run(canonicalJson(event), Buffer.alloc(32));
  database.close();
}

function removeAll(indexFile: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${indexFile}${suffix}`, { force: true });
}

/** Beyond the first page, which identifies the file as a database. */
async function overwritePages(indexFile: string): Promise<void> {
  const handle = await open(indexFile, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size - 4096, 0xff), 0, size - 4096, 4096);
  await handle.close();
}

async function ids(log: AuditLog, filter: RecordFilter = {}): Promise<string[]> {
  return (await log.query({ ...filter, limit: 1000 })).records.map(({ executionId }) => executionId);
}

function withoutTimes(stats: Awaited<ReturnType<AuditLog['stats']>>): unknown {
  return JSON.parse(JSON.stringify(stats, (key, value) => (key === 'durationMs' ? value !== null : value)));
}
