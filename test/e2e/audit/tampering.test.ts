// Threat model: T304, T317

import { generateKeyPairSync } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verification } from '../../../packages/core/src/audit.ts';
import { verifyLog } from '../../../packages/server/src/index.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, daemonProcess } from '../../support/daemon-process.ts';
import { sqlite } from '../../support/sqlite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The files of a stopped daemon, shared by all tests. Each test changes a copy. */
let left: { folder: string; checkpoints: string; events: number };

beforeAll(async () => {
  const folder = await temporaryFolder({}, afterAll);
  const checkpoints = join(folder, 'elsewhere.jsonl');
  const daemon = await daemonProcess(folder, {
    audit: { checkpoints: { file: checkpoints } },
  });
  for (let n = 0; n < 6; n += 1)
    await daemon.execute('json-query', { input: { query: 'a', document: { a: n } } });
  await daemon.execute('no-such-skill', { input: {} });
  await daemon.request('GET', '/nowhere');
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  left = {
    folder,
    checkpoints,
    events: Number(sqlite(join(folder, 'data/audit.db'), 'SELECT count(*) FROM log')),
  };
});

test('an unchanged log verifies in place, as a copy, with the key alone and with external checkpoints', async () => {
  const { file } = await copied('untouched');
  const intact = {
    intact: true,
    logId: expect.any(String),
    first: 1,
    last: { sequence: left.events, hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    events: left.events,
    checkpoints: expect.any(Number),
    signedThrough: left.events,
    trustedKeyId: expect.stringMatching(/^[0-9a-f]{64}$/),
    indexedThrough: null,
  };
  const config = join(left.folder, 'ambit.config.yaml');
  const inPlace = await ambit(['audit', 'verify', '--json', '--config', config]);
  expect({ code: inPlace.code, found: JSON.parse(inPlace.stdout) }).toEqual({
    code: 0,
    found: { ...intact, indexedThrough: expect.any(Number) },
  });
  const evidence = [
    '--public-key',
    join(left.folder, 'data/audit-key.pub'),
    '--checkpoints',
    left.checkpoints,
  ];
  const copy = await ambit(['audit', 'verify', '--json', '--log', file, ...evidence]);
  expect({ code: copy.code, found: JSON.parse(copy.stdout) }).toEqual({ code: 0, found: intact });
  expect(await verifyLog({ file })).toEqual({ ...intact, trustedKeyId: null });
});

describe('changes with another SQLite are detected, with the first bad event', () => {
  const open = 'DROP TRIGGER log_is_not_changed; DROP TRIGGER log_is_not_removed;';
  const shifted = (from: number, by: number): string =>
    `UPDATE log SET sequence = -sequence WHERE sequence >= ${from}; UPDATE log SET sequence = -sequence + ${by} WHERE sequence < 0;`;
  const exchange = (a: number, b: number): string =>
    `UPDATE log SET sequence = -1 WHERE sequence = ${a}; UPDATE log SET sequence = ${a} WHERE sequence = ${b}; UPDATE log SET sequence = ${b} WHERE sequence = -1;`;

  test.each<[string, string, string, number | null]>([
    [
      'an edited event',
      `UPDATE log SET body = replace(body, 'succeeded', 'failed') WHERE sequence = 5`,
      'edited',
      5,
    ],
    ['an edited first event', `UPDATE log SET body = '{}' WHERE sequence = 1`, 'edited', 1],
    ['another hash', `UPDATE log SET hash = zeroblob(32) WHERE sequence = 4`, 'edited', 4],
    [
      'the execution that an event is listed under',
      `UPDATE log SET execution_id = 'x' WHERE sequence = 4`,
      'edited',
      4,
    ],
    ['an event removed in the middle', 'DELETE FROM log WHERE sequence = 4', 'removed', 4],
    ['the first events removed', 'DELETE FROM log WHERE sequence <= 4', 'removed', 1],
    [
      'the first events removed and marked as pruned',
      `DELETE FROM log WHERE sequence <= 4; INSERT INTO meta VALUES ('events_pruned_through', '4')`,
      'removed',
      1,
    ],
    [
      'events removed, and those after them renumbered',
      `DELETE FROM log WHERE sequence IN (4, 5); ${shifted(6, -2)}`,
      'removed',
      4,
    ],
    [
      'an event put in',
      `${shifted(5, 1)} INSERT INTO log SELECT 5, 'x', 0, body, randomblob(32) FROM log WHERE sequence = 3`,
      'inserted',
      5,
    ],
    ['two events exchanged', exchange(4, 5), 'reordered', 4],
    ['two events exchanged far apart', exchange(3, 9), 'reordered', 3],
    ['the end cut off, its checkpoints left', 'DELETE FROM log WHERE sequence > 8', 'truncated', 9],
    [
      'the end cut off, and every checkpoint that saw it',
      'DELETE FROM log WHERE sequence > 8; DELETE FROM checkpoints WHERE sequence > 8; DELETE FROM open_records; INSERT INTO open_records SELECT execution_id, max(sequence) FROM log WHERE execution_id IS NOT NULL GROUP BY execution_id HAVING count(*) = 1',
      'truncated',
      9,
    ],
    ['a log with another id', `UPDATE meta SET value = '0' WHERE key = 'log_id'`, 'swapped', null],
    [
      'a log with another id, and no checkpoints of its own',
      `UPDATE meta SET value = '0' WHERE key = 'log_id'; DELETE FROM checkpoints`,
      'swapped',
      null,
    ],
    [
      'a checkpoint of another hash',
      `UPDATE checkpoints SET signed = json_set(signed, '$.statement.hash', 'sha256:' || lower(hex(zeroblob(32))))`,
      'checkpoint-forged',
      null,
    ],
    ['an invalid checkpoint', `UPDATE checkpoints SET signed = '{}'`, 'checkpoint-forged', null],
    ['a record removed from the open ones', `INSERT INTO open_records VALUES ('x', 3)`, 'open-records', null],
  ])('%s', async (name, sql, reason, sequence) => {
    const { file } = await copied(name);
    sqlite(file, `${open} ${sql}`);
    expect(await verified(file)).toMatchObject({
      intact: false,
      reason,
      message: expect.stringMatching(/\w/),
      ...(sequence !== null && { sequence }),
    });
  });
});

/** The daemon of this file, whose own log and index are changed. */
const daemonOf = sharedDaemon(async () => ({}));

test("the external checkpoints detect another daemon's database in place of the log", async () => {
  const { dataDir } = daemonOf();
  const found = await verifyLog({ file: join(dataDir, 'audit.db'), checkpoints: left.checkpoints });
  expect(found).toMatchObject({ intact: false, reason: 'swapped', sequence: null });
});

test('a key that did not sign the log is not trusted', async () => {
  const { file, folder } = await copied('stranger');
  const key = join(folder, 'stranger.pem');
  const { publicKey } = generateKeyPairSync('ed25519');
  await writeFile(key, publicKey.export({ type: 'spki', format: 'pem' }));
  const { code, stdout } = await ambit(['audit', 'verify', '--json', '--log', file, '--public-key', key]);
  expect({ code, found: JSON.parse(stdout) }).toMatchObject({
    code: 3,
    found: { intact: false, reason: 'key-unknown' },
  });
});

test('a running daemon detects and reports changes of its log and of its index', async () => {
  const daemon = daemonOf();
  const edit = (executionId: string): void => {
    const log = join(daemon.dataDir, 'audit.db');
    sqlite(log, `UPDATE log SET opens = 1 - opens, execution_id = ${executionId} WHERE sequence = 1`);
  };
  const verification = async () => (await daemon.request('GET', '/audit/verify')).body;
  sqlite(join(daemon.dataDir, 'audit.db'), 'DROP TRIGGER log_is_not_changed');
  expect(await verification()).toMatchObject({ intact: true });
  edit("'x'");
  expect(await verification()).toMatchObject({ intact: false, reason: 'edited', sequence: 1 });
  edit('NULL');
  await daemon.execute('json-query', { input: { query: 'a', document: { a: 1 } } });
  const [{ sequence }] = await daemon.audit();
  expect(await verification()).toMatchObject({ intact: true, indexedThrough: expect.any(Number) });
  sqlite(join(daemon.dataDir, 'audit-index.db'), `DELETE FROM calls WHERE sequence = ${sequence}`);
  expect(await verification()).toMatchObject({ intact: false, reason: 'index', sequence });
});

/** Copies the log without any other files. */
async function copied(name: string): Promise<{ folder: string; file: string }> {
  const folder = join(left.folder, name.replace(/\W+/g, '-'));
  await mkdir(folder);
  const file = join(folder, 'audit.db');
  await copyFile(join(left.folder, 'data/audit.db'), file);
  return { folder, file };
}

/** With the key and the external checkpoints. */
async function verified(file: string): Promise<Verification> {
  const publicKey = await readFile(join(left.folder, 'data/audit-key.pub'), 'utf8');
  return verifyLog({ file, publicKey, checkpoints: left.checkpoints });
}
