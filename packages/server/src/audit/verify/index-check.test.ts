// Threat model: T317

import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditReader, CallFinished, CallRecord, CallStarted, RecordFilter } from '@ambit/core/audit';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { byHand } from '../../store/testing/by-hand.ts';
import { readAuditLog } from '../index/read-audit-log.ts';
import { type OpenAuditLog, openAuditLog } from '../open-audit-log.ts';
import { pruneLog } from '../retention/prune-log.ts';
import { beginning, ending, finished, rejection, started, usage } from '../testing/audit-files.ts';
import { foldersToCopy } from '../testing/copy-of.ts';
import { verifyLog } from './verify-log.ts';

const copyOf = foldersToCopy();

const payload = (of: 'input' | 'output') => ({ of, text: `"some ${of}"`, isCut: false });
const stored = (of: 'input' | 'output') => {
  const { text } = payload(of);
  return { bytes: text.length, digest: `sha256:${hash('sha256', text)}` };
};
const called = (executionId: string): CallStarted =>
  started(executionId, { time: 61_000, via: 'mcp', parentId: 'p' });
const ended = (executionId: string, outcome: CallFinished['outcome']): CallFinished =>
  finished(executionId, { time: 62_000, outcome, usage: usage(7.5) });

/** Every way for a record to begin and end; the first event of each is below. */
async function writeRecords(log: OpenAuditLog): Promise<void> {
  await log.append({ ...called('succeeded'), stored: stored('input') }, payload('input')); // 1
  await log.append({ ...ended('succeeded', 'succeeded'), stored: stored('output') }, payload('output')); // 2
  await log.append(rejection('rejected')); // 3
  await log.append(beginning('denied')); // 4
  await log.append(called('failed')); // 5
  await log.append(ending('denied')); // 6
  await log.append(ended('failed', 'failed')); // 7
  await log.append(called('interrupted')); // 8
  await log.append({ kind: 'call.interrupted', executionId: 'interrupted', time: 70_000 }); // 9
  await log.append(called('running')); // 10
}

test('a log and its index verify together, and the result says how far they were compared', async () => {
  const file = await indexedLog();
  expect(await verifyLog({ file })).toMatchObject({ intact: true, events: 10, indexedThrough: 10 });
  await withOpen(file, async (log) => {
    await log.append(ended('running', 'succeeded'));
    await log.append(rejection('later'));
  });
  expect(await verifyLog({ file })).toMatchObject({ intact: true, events: 12, indexedThrough: 10 });
});

test.each<[string, string, number | null, RegExp]>([
  [
    'a removed record',
    'DELETE FROM calls WHERE sequence = 3',
    3,
    /^the index lacks the record that event 3 begins\. /,
  ],
  [
    'a record without its end',
    'UPDATE calls SET ended = NULL WHERE sequence = 1',
    1,
    /index and the log differ/,
  ],
  [
    'an end for a record without one',
    'UPDATE calls SET ended = 10 WHERE sequence = 10',
    10,
    /index and the log differ/,
  ],
  ['another time', 'UPDATE calls SET started = 1 WHERE sequence = 5', 5, /index and the log differ/],
  ['another duration', 'UPDATE calls SET duration = 1 WHERE sequence = 5', 5, /index and the log differ/],
  ['another parent', 'UPDATE calls SET parent = NULL WHERE sequence = 5', 5, /index and the log differ/],
  [
    'another name of an unknown skill',
    "UPDATE calls SET unknown = 'x' WHERE sequence = 4",
    4,
    /index and the log differ/,
  ],
  [
    'the outcome of another record',
    'UPDATE calls SET kind = (SELECT kind FROM calls WHERE sequence = 1) WHERE sequence = 5',
    5,
    /index and the log differ/,
  ],
  [
    'another actor for all records of a kind',
    "UPDATE kinds SET actor = 'eve' WHERE actor = 'key'",
    1,
    /index and the log differ/,
  ],
  [
    'a record made up',
    'INSERT INTO calls SELECT 9, kind, started, ended, duration, unknown, parent FROM calls WHERE sequence = 3',
    null,
    /has records that the log does not have/,
  ],
  ['a removed range of times', 'DELETE FROM blocks', null, /times in the index/],
  ['another range of times', 'UPDATE blocks SET first = last', null, /times in the index/],
  ['invented sums', "INSERT INTO packs VALUES (0, x'')", null, /sums in the index/],
  ['the text of an input taken out', 'DELETE FROM text_0 WHERE rowid = 2', 1, /lacks the stored payload/],
  ['the text of an output taken out', 'DELETE FROM text_0 WHERE rowid = 3', 1, /lacks the stored payload/],
  ['all texts taken out', 'DROP TABLE text_0', 1, /lacks the stored payload/],
])('an index with %s does not verify', async (_, sql, sequence, message) => {
  const file = await indexedLog();
  byHand(indexOf(file), sql);
  expect(await verifyLog({ file })).toMatchObject({
    intact: false,
    reason: 'index',
    sequence,
    indexedThrough: 10,
    message: expect.stringMatching(message),
  });
});

test('packed calls are compared with the log, and a changed one does not verify', async () => {
  const folder = await copyOf('two blocks', async (made) => {
    const log = await openAuditLog({ file: join(made, 'audit.db') });
    await Promise.all(Array.from({ length: 9000 }, (_, at) => log.append(rejection(`e${at}`))));
    await log.count({});
    await log.close();
  });
  const file = join(folder, 'audit.db');
  expect(await verifyLog({ file })).toMatchObject({ intact: true, indexedThrough: 9000 });
  const index = new Sqlite(indexOf(file));
  const { block, calls } = index.prepare('SELECT block, calls FROM packs').get() as {
    block: number;
    calls: Buffer;
  };
  expect({ block, bytes: calls.length }).toEqual({ block: 0, bytes: 8191 * 24 });
  calls.writeDoubleLE(7, 16);
  index.prepare('UPDATE packs SET calls = ?').run(calls);
  index.close();
  expect(await verifyLog({ file })).toMatchObject({
    intact: false,
    reason: 'index',
    sequence: null,
    indexedThrough: 9000,
    message: expect.stringMatching(/^the sums in the index do not match its records\. /),
  });
});

test('a damaged index does not verify, and its log does once the index is rebuilt', async () => {
  const file = await indexedLog();
  writeFileSync(indexOf(file), 'x'.repeat(5000));
  expect(await verifyLog({ file })).toMatchObject({
    intact: false,
    reason: 'index',
    sequence: null,
    message: expect.stringMatching(/^the index is damaged \(file is not a database\)/),
  });
  await query(file);
  expect(await verifyLog({ file })).toMatchObject({ intact: true, indexedThrough: 10 });
});

test('an index of another or a replaced log is not compared, because the next query rebuilds it', async () => {
  const [file, other] = [await indexedLog(), await indexedLog()];
  for (const [key, value] of [
    ['log_id', 'x'],
    ['hash', '00'],
  ]) {
    byHand(indexOf(file), `UPDATE meta SET value = '${value}' WHERE key = '${key}'`);
    expect(await verifyLog({ file })).toMatchObject({ intact: true, indexedThrough: null });
    await query(file);
  }
  expect(await verifyLog({ file: other })).toMatchObject({ intact: true, indexedThrough: 10 });
});

test.each([
  ['events', 12],
  ['payloads', 1],
] as const)(
  'a log of which %s were pruned verifies with the index from before and the one from after',
  async (prune, first) => {
    const file = await indexedLog();
    await withOpen(file, (log) => log.append(ended('running', 'succeeded')));
    await withOpen(file, async (log) => {
      const [gone] = await pruneLog(
        log,
        { retentionDays: 1, retentionBytes: null, prune },
        () => 2 * 86_400_000,
      );
      expect(gone).toMatchObject({ what: prune, through: prune === 'events' ? 11 : 2 });
      await log.append(rejection('after'));
    });
    expect(await verifyLog({ file })).toMatchObject({ intact: true, first, indexedThrough: 10 });
    await query(file);
    expect(await verifyLog({ file })).toMatchObject({ intact: true, first, indexedThrough: 13 });
  },
);

test('an export has the record that was removed from the index, and a query has it once the index is rebuilt', async () => {
  const file = await indexedLog();
  const log = await reader(file);
  const all = await exported(log);
  expect(all.map(({ executionId, outcome }) => [executionId, outcome])).toEqual([
    ['succeeded', 'succeeded'],
    ['rejected', 'denied'],
    ['denied', 'denied'],
    ['failed', 'failed'],
    ['interrupted', 'interrupted'],
    ['running', 'running'],
  ]);
  byHand(indexOf(file), 'DELETE FROM calls WHERE sequence IN (3, 5); UPDATE calls SET ended = NULL');
  const lacking = await reader(file);
  const { records } = await lacking.query({ limit: 100 });
  expect(records.map(({ executionId }) => executionId)).not.toContain('rejected');
  expect(await exported(lacking)).toEqual(all);
  expect(await exported(lacking, { skill: 's', via: 'mcp', outcome: 'failed' })).toEqual([all[3]]);
  expect(await exported(lacking, { actor: 'key', tier: 'local', until: 61_000 })).toEqual([]);
  expect(await exported(lacking, { since: 61_000, until: 61_001, parentId: 'p' })).toEqual(
    [0, 3, 4, 5].map((at) => all[at]),
  );
  expect(await exported(lacking, { executionId: 'denied' })).toEqual([all[2]]);
  expect(await exported(lacking, { text: 'SOME OUT' })).toEqual([all[0]]);
});

function indexOf(file: string): string {
  return file.replace(/\.db$/, '-index.db');
}

/** A closed log, and the index that a query made of it. */
async function indexedLog(): Promise<string> {
  const folder = await copyOf('ten events', async (made) => {
    const log = await openAuditLog({ file: join(made, 'audit.db') });
    await writeRecords(log);
    await log.count({});
    await log.close();
  });
  return join(folder, 'audit.db');
}

async function reader(file: string): Promise<AuditReader> {
  const log = await readAuditLog({ file });
  onTestFinished(() => log.close());
  return log;
}

async function withOpen(file: string, use: (log: OpenAuditLog) => Promise<unknown>): Promise<void> {
  const log = await openAuditLog({ file });
  await use(log);
  await log.close();
}

async function query(file: string): Promise<void> {
  const log = await readAuditLog({ file });
  await log.count({});
  await log.close();
}

async function exported(log: AuditReader, filter: RecordFilter = {}): Promise<CallRecord[]> {
  const records = [];
  for await (const record of log.export(filter)) records.push(record);
  return records;
}
