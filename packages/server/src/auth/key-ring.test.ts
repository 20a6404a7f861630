// Threat model: T232, T233, T234, T241

import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KeyFileError } from '@ambit/client/node';
import { SkillError } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { keysFile, keysFileSource } from '../store/keys/keys-file.ts';
import { storedKeys } from '../store/keys/stored-keys.ts';
import { byHand } from '../store/testing/by-hand.ts';
import type { KeyRequest } from './key-record.ts';
import { type KeyRing, type KeyRingOptions, keyRing } from './key-ring.ts';
import type { KeyStore } from './key-store.ts';
import { makeKey, revokeKey } from './make-key.ts';

const firstKey = `ambit_${'f'.repeat(43)}`;
const now = Date.parse('2026-03-01T00:00:00Z');
const bot: KeyRequest = { name: 'bot', scopes: ['prompt'] };

test('keys created or revoked while a ring is open take effect with the next request', async () => {
  const file = await keysFileIn();
  const open = ring(file);
  const { key } = await make(file, bot, now);
  const rights = accepted(open, key);
  expect(accepted(open, key)).toBe(rights);
  await make(file, { ...bot, name: 'other' }, now);
  expect([accepted(open, key).actor, rights.holds()]).toEqual(['bot', true]);
  expect(await revoke(file, 'bot', now + 1000)).toEqual({ revokedAt: '2026-03-01T00:00:01.000Z' });
  expect(open.authenticate(`Bearer ${key}`)).toEqual({
    status: 'revoked',
    actor: 'bot',
    since: '2026-03-01T00:00:01.000Z',
  });
  expect(rights.holds()).toBe(false);
  expect(await revoke(file, 'bot', now + 9000)).toEqual({ revokedAt: '2026-03-01T00:00:01.000Z' });
  await rm(file);
  expect(open.authenticate(`Bearer ${key}`)).toEqual({ status: 'wrong' });
  expect(accepted(open, firstKey).actor).toBe('key');
});

test('a key expires at its time, not before', async () => {
  const file = await keysFileIn();
  const { key } = await make(file, { ...bot, expiresAt: '2026-03-02T00:00:00.000Z' }, now);
  let time = Date.parse('2026-03-01T23:59:59.999Z');
  const open = ring(file, () => time);
  const rights = accepted(open, key);
  expect(rights.holds()).toBe(true);
  time += 1;
  expect(open.authenticate(`Bearer ${key}`)).toEqual({
    status: 'expired',
    actor: 'bot',
    since: '2026-03-02T00:00:00.000Z',
  });
  expect(rights.holds()).toBe(false);
});

test("a revoked key's calls are aborted, even when no requests arrive", async () => {
  const file = await keysFileIn();
  const [{ key }, other] = [await make(file, bot, now), await make(file, { ...bot, name: 'other' }, now)];
  const open = ring(file);
  const [{ revoked }, ofOther] = [accepted(open, key), accepted(open, other.key).revoked];
  await make(file, { ...bot, name: 'third' }, now);
  expect(accepted(open, key).revoked).toBe(revoked);
  await revoke(file, 'bot', now);
  expect(revoked.aborted).toBe(false);
  open.look();
  expect([revoked.reason, ofOther.aborted]).toEqual([new Error('the key bot was revoked'), false]);
  // Removed by hand, and replaced by another key of the same name.
  byHand(file, `UPDATE keys SET sha256 = '${'a'.repeat(64)}' WHERE name = 'other'`);
  open.look();
  expect(ofOther.reason).toEqual(new Error('the key other was revoked'));
});

test('keys whose file cannot be examined are unchanged, which is reported once', async () => {
  const file = await keysFileIn();
  const { key } = await make(file, bot, now);
  const way = `${dirname(file)}.way`;
  onTestFinished(() => rm(way, { force: true }));
  await symlink(dirname(file), way);
  const reported: unknown[] = [];
  const open = keyRing({
    firstKey,
    source: keysFileSource(join(way, basename(file))),
    now: () => now,
    onUnusable: (error) => reported.push(error),
  });
  await rm(way);
  // A link to itself.
  await symlink(way, way);
  open.look();
  expect(accepted(open, key).revoked.aborted).toBe(false);
  expect(reported).toEqual([expect.any(KeyFileError)]);
});

test("an expired key's calls continue", async () => {
  const file = await keysFileIn();
  const { key } = await make(file, { ...bot, expiresAt: '2026-03-02T00:00:00.000Z' }, now);
  let time = now;
  const open = ring(file, () => time);
  const rights = accepted(open, key);
  time = Date.parse('2026-03-03T00:00:00Z');
  await make(file, { ...bot, name: 'other' }, now);
  open.look();
  expect([rights.holds(), rights.revoked.aborted]).toEqual([false, false]);
});

test('a key with a rate is limited to it, without affecting other keys', async () => {
  const file = await keysFileIn();
  const { key } = await make(file, { ...bot, ratePerMinute: 2 }, now);
  const open = ring(file);
  accepted(open, key);
  accepted(open, key);
  expect(open.authenticate(`Bearer ${key}`)).toEqual({
    status: 'limited',
    actor: 'bot',
    retryAfterMs: 30_000,
  });
  await make(file, { ...bot, name: 'other' }, now);
  expect(open.authenticate(`Bearer ${key}`)).toMatchObject({ status: 'limited' });
  for (let i = 0; i < 5; i += 1) accepted(open, firstKey);
});

test.each<[claim: string, request: KeyRequest, says: string]>([
  ['a name that is in use', bot, 'the key bot already exists. Choose another name.'],
  [
    'a name that was in use',
    { ...bot, name: 'gone' },
    'the name gone belongs to a revoked key, whose calls are in the log; choose another name',
  ],
  [
    'an expiry in the past',
    { ...bot, name: 'late', expiresAt: '2026-03-01T00:00:00Z' },
    '2026-03-01T00:00:00Z is in the past; choose a later time, such as --expires 30d',
  ],
])('refuses %s and leaves the file unchanged', async (_, request, says) => {
  const file = await keysFileIn();
  await make(file, bot, now);
  await make(file, { ...bot, name: 'gone' }, now);
  await revoke(file, 'gone', now);
  const before = await readFile(file);
  await expect(make(file, request, now)).rejects.toEqual(new UsageError(says));
  expect(await readFile(file)).toEqual(before);
  expect((await make(file, { ...bot, name: 'new' }, now)).record.name).toBe('new');
});

test('refuses to revoke an unknown key', async () => {
  const file = await keysFileIn();
  await expect(revoke(file, 'none', now)).rejects.toEqual(
    new UsageError('the key "none" does not exist; "ambit key list" lists the keys'),
  );
});

test('reads a change again after its file was locked, and reports a lock only if it lasts', async () => {
  const file = await keysFileIn();
  const { key } = await make(file, bot, now);
  const reported: unknown[] = [];
  let time = now;
  const open = ring(
    file,
    () => time,
    (error) => reported.push(error),
  );
  await revoke(file, 'bot', now);
  const other = new Sqlite(file);
  other.exec('BEGIN EXCLUSIVE');
  expect(accepted(open, key).actor).toBe('bot');
  time += 4000;
  accepted(open, key);
  expect(reported).toEqual([]);
  time += 2000;
  accepted(open, key);
  accepted(open, key);
  expect(reported).toEqual([
    new KeyFileError(
      `cannot read the keys' file ${file}: another process has locked it; end that process ("fuser ${file}" shows it)`,
    ),
  ]);
  other.close();
  expect(open.authenticate(`Bearer ${key}`)).toMatchObject({ status: 'revoked' });
});

test.each<[claim: string, spoil: (file: string) => Promise<void>, says: RegExp]>([
  [
    'the file is no database any more',
    (file) => writeFile(file, 'no database, but as long as the header of one'.repeat(30)),
    /it is damaged/,
  ],
  [
    'a key in the file is damaged',
    async (file) => byHand(file, `UPDATE keys SET record = '{"scopes":[]}'`),
    /the key "bot" is damaged: .*at least one scope/,
  ],
  [
    'the file becomes a link to itself',
    async (file) => {
      await rm(file);
      await symlink(file, file);
    },
    /is a symbolic link/,
  ],
])('leaves the keys that were read before, and is reported once, if %s', async (_, spoil, says) => {
  const file = await keysFileIn();
  const { key } = await make(file, bot, now);
  const reported: unknown[] = [];
  const open = ring(file, undefined, (error) => reported.push(error));
  await spoil(file);
  const { revoked } = accepted(open, key);
  accepted(open, key);
  accepted(open, firstKey);
  expect([reported, revoked.aborted]).toEqual([
    [expect.objectContaining({ name: 'KeyFileError', message: expect.stringMatching(says) })],
    false,
  ]);
  await rm(file);
  await make(file, { ...bot, name: 'other' }, now);
  expect(open.authenticate(`Bearer ${key}`)).toEqual({ status: 'wrong' });
});

test('refuses every key but the first while the keys may be out of date', async () => {
  const file = await keysFileIn();
  const { key } = await make(file, bot, now);
  const refusal = new SkillError('STORE_UNAVAILABLE', 'the keys are out of date');
  let isFresh = false;
  const open = keyRing({
    firstKey,
    now: () => now,
    onUnusable: () => undefined,
    source: {
      ...keysFileSource(file),
      requireFresh() {
        if (!isFresh) throw refusal;
      },
    },
  });
  expect(accepted(open, firstKey).actor).toBe('key');
  expect(open.authenticate(undefined)).toEqual({ status: 'missing' });
  // An unknown key may have been created meanwhile.
  for (const refused of [key, 'k'.repeat(40)])
    expect(() => open.authenticate(`Bearer ${refused}`)).toThrow(refusal);
  isFresh = true;
  expect(accepted(open, key).actor).toBe('bot');
  expect(open.authenticate(`Bearer ${'k'.repeat(40)}`)).toEqual({ status: 'wrong' });
});

function ring(
  file: string,
  clock: () => number = () => now,
  onUnusable: KeyRingOptions['onUnusable'] = (error) => {
    throw error;
  },
): KeyRing {
  return keyRing({ firstKey, source: keysFileSource(file), now: clock, onUnusable });
}

function accepted(open: KeyRing, key: string) {
  const judged = open.authenticate(`Bearer ${key}`);
  if (judged.status !== 'accepted') throw new Error(`the key is ${judged.status}`);
  return judged.rights;
}

function storeIn(file: string): KeyStore {
  return storedKeys(keysFile(file), 'unusable');
}

function make(file: string, request: KeyRequest, time: number): ReturnType<typeof makeKey> {
  return makeKey(storeIn(file), request, time);
}

function revoke(file: string, name: string, time: number): ReturnType<typeof revokeKey> {
  return revokeKey(storeIn(file), name, time);
}

async function keysFileIn(): Promise<string> {
  const folder = await temporaryFolder();
  return join(folder, 'keys.db');
}
