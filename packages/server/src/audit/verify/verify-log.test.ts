// Threat model: T271, T305, T307, T308

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEvent } from '@ambit/core/audit';
import Sqlite, { type Database } from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { rotateKey } from '../log/rotate-key.ts';
import { sha256 } from '../log/sha256.ts';
import { openAuditLog } from '../open-audit-log.ts';
import type { PrunePlan } from '../retention/plan-pruning.ts';
import { allowPruning } from '../retention/prune-step.ts';
import { signPruning } from '../retention/sign-pruning.ts';
import { keyFileOf, makeAuditKey, readAuditKey } from '../sign/audit-key.ts';
import { checkpointTable } from '../sign/checkpoint-table.ts';
import { addKey } from '../sign/log-key.ts';
import { appendLine } from '../sign/outside-checkpoints.ts';
import { ending, rejection, started } from '../testing/audit-files.ts';
import { foldersToCopy } from '../testing/copy-of.ts';
import { rewriteChain } from '../testing/rewrite-chain.ts';
import { verifyLog } from './verify-log.ts';

const copyOf = foldersToCopy();

const text = '{"input":{"n":1}}';
const stored = { bytes: text.length, digest: `sha256:${Buffer.from(sha256(text)).toString('hex')}` };
const begun = (executionId: string): AuditEvent =>
  started(executionId, { skill: { id: 'a' }, input: stored, stored });

test('a log with payloads verifies, and so does one whose payloads were pruned with an event', async () => {
  const log = await written({ calls: 3 });
  expect(await verifyLog(log)).toMatchObject({ intact: true, events: 6, signedThrough: 6 });
  change(log.file, (database) => {
    database.exec("INSERT INTO meta VALUES ('payloads_pruned_through', '5'); DELETE FROM payloads");
  });
  await tellOfPruning(log.file, { what: 'payloads', through: 5, hash: 'sha256:0', count: 3 });
  expect(await verifyLog(log)).toMatchObject({ intact: true, events: 7, signedThrough: 7 });
});

test.each([
  ['are deleted', 4],
  ['are partly deleted, as left by a daemon that is killed while it deletes,', 2],
  ['still exist', 0],
])('a log whose first events were pruned with an event and %s verifies', async (_name, deleted) => {
  const log = await written({ calls: 3 });
  await prune(log.file, { through: 4, deleted });
  expect(await verifyLog(log)).toMatchObject({
    intact: true,
    ...(deleted === 0 ? { first: 1, events: 7 } : { first: 5, events: 3 }),
    signedThrough: 7,
  });
});

test('a log that lacks more events than were pruned does not verify', async () => {
  const log = await written({ calls: 3 });
  await prune(log.file, { through: 4, deleted: 4 });
  change(log.file, (database) =>
    database.exec('DROP TRIGGER log_is_not_removed; DELETE FROM log WHERE sequence = 5'),
  );
  expect(await verifyLog(log)).toMatchObject({ intact: false, reason: 'removed', sequence: 1 });
});

describe('changes beside the events are reported', () => {
  const open = 'DROP TRIGGER payloads_are_not_changed; DROP TRIGGER payloads_are_not_removed;';
  test.each<[string, string, string, number | null]>([
    [
      'a payload with another text',
      `UPDATE payloads SET text = '{}' WHERE sequence = 3`,
      'payload-changed',
      3,
    ],
    [
      'a payload marked as the other side',
      `UPDATE payloads SET side = 'output' WHERE sequence = 3`,
      'payload-changed',
      3,
    ],
    [
      'a payload of an event that has none',
      `INSERT INTO payloads VALUES (2, 'output', 'x', 0)`,
      'payload-changed',
      2,
    ],
    ['a missing payload', 'DELETE FROM payloads WHERE sequence = 3', 'payload-missing', 3],
    [
      'a missing payload that the metadata says was pruned',
      `DELETE FROM payloads WHERE sequence = 3; INSERT INTO meta VALUES ('payloads_pruned_through', '4')`,
      'payload-missing',
      3,
    ],
    ['an open record that is not listed', 'DELETE FROM open_records', 'open-records', 7],
    [
      'a skill whose change would not be recorded',
      "INSERT INTO last_digests VALUES ('skill:a', 'd')",
      'side-tables',
      null,
    ],
    [
      'events that may be deleted',
      "INSERT INTO meta VALUES ('events_pruned_through', '4')",
      'side-tables',
      null,
    ],
    [
      'a payload at the position of a later event',
      "INSERT INTO payloads VALUES (8, 'input', 'x', 0)",
      'side-tables',
      null,
    ],
    [
      'a trigger that drops events',
      'CREATE TRIGGER evil BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE); END',
      'side-tables',
      null,
    ],
  ])('%s', async (_what, sql, reason, sequence) => {
    const log = await written({ calls: 3, open: 1 });
    expect(await verifyLog(log)).toMatchObject({ intact: true });
    change(log.file, (database) => database.exec(`${open} ${sql}`));
    expect(await verifyLog(log)).toMatchObject({ intact: false, reason, sequence });
  });
});

describe('an attacker with the file but without the key', () => {
  const rewrite = (database: Database): void => {
    database.exec(
      `DROP TRIGGER log_is_not_changed; UPDATE log SET body = replace(body, '"actor":"key"', '"actor":"eve"') WHERE sequence = 3`,
    );
    rewriteChain(database);
  };

  test('who rewrites the whole chain is detected by the signed checkpoints', async () => {
    const log = await written({ calls: 3 });
    change(log.file, rewrite);
    expect(await verifyLog(log)).toMatchObject({ intact: false, reason: 'rewritten', sequence: 6 });
  });

  test('who also removes the checkpoints is detected by one stored outside', async () => {
    const log = await written({ calls: 3 });
    change(log.file, rewrite);
    change(log.file, (database) => database.exec('DELETE FROM checkpoints'));
    // From the log alone this cannot be known, but the result says how little of it is signed.
    expect(await verifyLog(log)).toMatchObject({ intact: true, signedThrough: 0 });
    expect(await verifyLog({ ...log, checkpoints: log.outside })).toMatchObject({ reason: 'rewritten' });
  });

  test('is detected in the log alone if more events are unsigned than a checkpoint can be late', async () => {
    const log = await written({ calls: 1100 });
    expect(await verifyLog(log)).toMatchObject({ intact: true, signedThrough: 2200, events: 2200 });
    change(log.file, (database) => database.exec('DELETE FROM checkpoints'));
    expect(await verifyLog(log)).toMatchObject({ intact: false, reason: 'unsigned', sequence: 1 });
  });

  test('who signs with a key of their own is detected by the trusted key', async () => {
    const log = await written({ calls: 3 });
    const own = makeAuditKey(join(log.folder, 'own'));
    change(log.file, (database) => {
      rewrite(database);
      database.exec('DELETE FROM keys; DELETE FROM checkpoints');
      addKey(database, own, 0);
      const last = database
        .prepare<[], { sequence: number; hash: Buffer }>(
          'SELECT sequence, hash FROM log ORDER BY sequence DESC',
        )
        .get();
      if (last !== undefined) checkpointTable(database, own).add(last);
    });
    expect(await verifyLog(log)).toMatchObject({ intact: false, reason: 'key-unknown', sequence: 6 });
    expect(await verifyLog({ file: log.file })).toMatchObject({ intact: true, trustedKeyId: null });
  });
});

describe('a recorded pruning', () => {
  const erased = async (by: 'nobody' | 'a stranger' | 'its key') => {
    const log = await written({ calls: 3 });
    const { hash } = change(log.file, (database) =>
      database
        .prepare<[], { hash: string }>('SELECT lower(hex(hash)) AS hash FROM log WHERE sequence = 6')
        .get(),
    ) ?? { hash: '' };
    const key = by === 'its key' ? undefined : makeAuditKey(join(log.folder, 'own'));
    await tellOfPruning(log.file, { what: 'events', through: 6, hash: `sha256:${hash}`, count: 6 }, key);
    change(log.file, (database) => {
      if (by === 'a stranger' && key !== undefined) addKey(database, key, 0);
      allowPruning(database, { what: 'events', through: 6 });
      database.exec('DELETE FROM payloads; DELETE FROM log WHERE sequence <= 6');
    });
    return verifyLog({ ...log, checkpoints: log.outside });
  };

  test('explains missing events if its key has signed it', async () => {
    expect(await erased('its key')).toMatchObject({ intact: true, first: 7, events: 1 });
  });

  test('explains nothing if only an attacker with the file wrote it, even if a later checkpoint covers it', async () => {
    expect(await erased('nobody')).toMatchObject({ intact: false, reason: 'pruning-forged', sequence: 7 });
    expect(await erased('a stranger')).toMatchObject({ intact: false, reason: 'key-unknown', sequence: 7 });
  });

  test('is not accepted from a key that claims that the trusted key succeeded it', async () => {
    const log = await written({ calls: 3 });
    const own = makeAuditKey(join(log.folder, 'own'));
    const trusted = readAuditKey(keyFileOf(log.file));
    const open = await openAuditLog({ file: log.file });
    await open.append({
      kind: 'key.rotated',
      time: 1,
      from: own.keyId,
      to: trusted?.keyId ?? '',
      publicKey: log.publicKey,
      signature: own.signText(log.publicKey),
      acceptance: own.signText(own.keyId),
    });
    await open.close();
    change(log.file, (database) => addKey(database, own, -1));
    await tellOfPruning(log.file, { what: 'payloads', through: 5, hash: 'sha256:0', count: 3 }, own);
    expect(await verifyLog(log)).toMatchObject({ intact: false, reason: 'key-unknown', sequence: 8 });
  });
});

test.each(['no JSON', 'null', '{"kind":"log.pruned"}', '{"kind":"key.rotated"}'])(
  'an invalid event appended by an attacker does not stop verification: %s',
  async (body) => {
    const log = await written({ calls: 1 });
    change(log.file, (database) => {
      database.exec('DROP TRIGGER changes_are_noted; DELETE FROM checkpoints');
      database.prepare("INSERT INTO log VALUES (3, NULL, 0, ?, x'00')").run(body);
      rewriteChain(database);
    });
    expect(await verifyLog(log)).toMatchObject(
      body.includes('rotated')
        ? { intact: true, signedThrough: 0 }
        : { intact: false, reason: body.includes('pruned') ? 'pruning-forged' : 'edited', sequence: 3 },
    );
  },
);

describe('an attacker with the file and the key', () => {
  test('can remove the end undetected, unless a checkpoint that covers it is stored outside', async () => {
    const log = await written({ calls: 3 });
    change(log.file, (database) => {
      database.exec(
        `DROP TRIGGER log_is_not_removed; DROP TRIGGER payloads_are_not_removed;
         DELETE FROM log WHERE sequence > 4; DELETE FROM payloads WHERE sequence > 4; DELETE FROM checkpoints`,
      );
    });
    await (await openAuditLog({ file: log.file })).close();
    expect(await verifyLog(log)).toMatchObject({ intact: true, events: 4, signedThrough: 4 });
    expect(await verifyLog({ ...log, checkpoints: log.outside })).toMatchObject({
      reason: 'truncated',
      sequence: 5,
    });
  });
});

describe('after a rotation', () => {
  test('the log verifies with the key from before, with the one from after, and without either', async () => {
    const log = await written({ calls: 2 });
    const before = log.publicKey;
    rotateKey({ file: log.file, isLost: false });
    const after = readFileSync(join(log.folder, 'audit-key.pub'), 'utf8');
    const verifiesThrough = async (signedThrough: number) => {
      for (const publicKey of [before, after, undefined])
        expect(await verifyLog({ file: log.file, publicKey })).toMatchObject({ intact: true, signedThrough });
    };
    await verifiesThrough(5);
    await more(log.file);
    await verifiesThrough(6);
  });

  test('and a pruning of it, the log verifies with the key from after, also with checkpoints from before', async () => {
    const log = await written({ calls: 2 });
    const before = log.publicKey;
    rotateKey({ file: log.file, isLost: false });
    await prune(log.file, { through: 5, deleted: 5 });
    const publicKey = readFileSync(join(log.folder, 'audit-key.pub'), 'utf8');
    expect(await verifyLog({ file: log.file, publicKey, checkpoints: log.outside })).toMatchObject({
      intact: true,
      first: 6,
      signedThrough: 6,
    });
    // The event that handed over to the current key is gone.
    expect(await verifyLog({ file: log.file, publicKey: before })).toMatchObject({
      intact: false,
      reason: 'key-unknown',
    });
  });

  test('with a lost key only the new key can be trusted, for the events after it', async () => {
    const log = await written({ calls: 2 });
    writeFileSync(join(log.folder, 'audit-key'), '');
    rotateKey({ file: log.file, isLost: true });
    await more(log.file);
    expect(await verifyLog(log)).toMatchObject({ intact: false, reason: 'key-unknown', sequence: 5 });
    const publicKey = readFileSync(join(log.folder, 'audit-key.pub'), 'utf8');
    expect(await verifyLog({ file: log.file, publicKey })).toMatchObject({ intact: true, signedThrough: 6 });
  });
});

test('a log with changed skills and policy verifies, and one whose stored digests were edited does not', async () => {
  const log = await written({ calls: 1 });
  const open = await openAuditLog({ file: log.file });
  await open.append({ kind: 'policy.changed', time: 1, from: null, to: 'sha256:1' });
  const skill = { id: 'a', version: null, digest: 'sha256:2', tier: 'local' } as const;
  await open.append({ kind: 'skill.changed', time: 1, skill, from: null });
  await open.close();
  expect(await verifyLog(log)).toMatchObject({ intact: true });
  change(log.file, (database) =>
    database.exec("UPDATE last_digests SET digest = 'sha256:3' WHERE subject = 'skill:a'"),
  );
  expect(await verifyLog(log)).toMatchObject({ intact: false, reason: 'side-tables' });
});

test('unreadable checkpoints are an error, and an incomplete last line is ignored', async () => {
  const log = await written({ calls: 1 });
  appendFileSync(log.outside, '{"statement":');
  expect(await verifyLog({ ...log, checkpoints: log.outside })).toMatchObject({ intact: true });
  appendFileSync(log.outside, '\n');
  await expect(verifyLog({ ...log, checkpoints: log.outside })).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: `cannot use the checkpoints in ${log.outside}: its line 2 is not a checkpoint`,
  });
});

/** A closed log with calls of two events each, and the files outside it. */
async function written({ calls, open = 0 }: { calls: number; open?: number }) {
  const folder = await copyOf(`${calls} calls, ${open} open`, (made) => write(made, calls, open));
  const publicKey = readFileSync(join(folder, 'audit-key.pub'), 'utf8');
  return { folder, file: join(folder, 'audit.db'), outside: join(folder, 'outside.jsonl'), publicKey };
}

async function write(folder: string, calls: number, open: number): Promise<void> {
  const log = await openAuditLog({
    file: join(folder, 'audit.db'),
    outside: {
      store: (line) => appendLine(join(folder, 'outside.jsonl'), line),
      onFailure: (error) => expect(error).toBeUndefined(),
    },
  });
  const payload = { of: 'input' as const, text, isCut: false };
  for (let n = 0; n < calls; n += 1) {
    const executionId = `e${n}`;
    void log.append(begun(executionId), payload);
    if (n + 1 === calls || n % 500 === 0) await log.append(ending(executionId));
    else void log.append(ending(executionId));
  }
  for (let n = 0; n < open; n += 1) await log.append(begun(`open${n}`), payload);
  await log.close();
}

/** Like the writer up to the moment it is killed: payloads first, then events, the oldest first. */
async function prune(
  file: string,
  { through, deleted }: { through: number; deleted: number },
): Promise<void> {
  const hash = change(file, (database) =>
    database
      .prepare<[number], string>('SELECT lower(hex(hash)) FROM log WHERE sequence = ?')
      .pluck()
      .get(through),
  );
  await tellOfPruning(file, { what: 'events', through, hash: `sha256:${hash}`, count: through });
  change(file, (database) => {
    allowPruning(database, { what: 'events', through });
    if (deleted > 0) database.exec('DELETE FROM payloads WHERE sequence <= 4');
    database.prepare('DELETE FROM log WHERE sequence <= ?').run(deleted);
  });
}

/** Signed by a key, by default the log's own. */
async function tellOfPruning(
  file: string,
  plan: PrunePlan,
  key = readAuditKey(keyFileOf(file)),
): Promise<void> {
  if (key === undefined) throw new Error('a log has a key');
  const event = change(file, (database) => signPruning(database, key, plan));
  const log = await openAuditLog({ file });
  await log.append({ kind: 'log.pruned', time: 1, ...event });
  await log.close();
}

async function more(file: string): Promise<void> {
  const log = await openAuditLog({ file });
  await log.append(rejection('later'));
  await log.close();
}

function change<T>(file: string, use: (database: Database) => T): T {
  const database = new Sqlite(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
