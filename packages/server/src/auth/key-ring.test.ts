import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { KeyFileError } from '@ambit/client/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keyDigest } from './authenticate.ts';
import type { KeyRequest } from './key-record.ts';
import { type KeyRing, keyRing } from './key-ring.ts';
import { changeKeys, readKeys } from './keys-file.ts';
import { KeyRefusedError, makeKey, revokeKey } from './make-key.ts';

const firstKey = `ambit_${'f'.repeat(43)}`;
const now = Date.parse('2026-03-01T00:00:00Z');
const bot: KeyRequest = { name: 'bot', scopes: ['prompt'] };

test('a key is accepted with its rights, and only its digest is stored, readable for its owner alone', async () => {
  const file = await keysFile();
  const request: KeyRequest = {
    name: 'bot',
    scopes: ['skills:read', 'skills:execute'],
    skills: ['a', 'b'],
    ceiling: { capabilities: { network: [] }, limits: { timeoutMs: 5 } },
    ratePerMinute: 10,
    expiresAt: '2026-04-01T00:00:00.000Z',
  };
  const { key, record } = makeKey(file, request, now);
  expect(key).toMatch(/^ambit_[A-Za-z0-9_-]{43}$/);
  expect(record).toEqual({
    ...request,
    sha256: keyDigest(key).toString('hex'),
    createdAt: '2026-03-01T00:00:00.000Z',
  });
  expect(readKeys(file)).toEqual([record]);
  expect(await readFile(file, 'utf8')).not.toContain(key);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(ring(file).authenticate(`Bearer ${key}`)).toEqual({
    status: 'accepted',
    rights: {
      actor: 'bot',
      scopes: request.scopes,
      skills: new Set(['a', 'b']),
      ceiling: request.ceiling,
      holds: expect.any(Function),
      revoked: expect.any(AbortSignal),
    },
  });
});

test('the first key has every right and needs no file', async () => {
  expect(accepted(ring(await keysFile()), firstKey)).toMatchObject({
    actor: 'key',
    scopes: ['admin'],
    skills: undefined,
    ceiling: undefined,
  });
});

test('keys created or revoked while a ring is open take effect with the next request', async () => {
  const file = await keysFile();
  const open = ring(file);
  const { key } = makeKey(file, bot, now);
  const rights = accepted(open, key);
  expect(accepted(open, key)).toBe(rights);
  makeKey(file, { ...bot, name: 'other' }, now);
  expect([accepted(open, key).actor, rights.holds()]).toEqual(['bot', true]);
  expect(revokeKey(file, 'bot', now + 1000)).toEqual({ revokedAt: '2026-03-01T00:00:01.000Z' });
  expect(open.authenticate(`Bearer ${key}`)).toEqual({
    status: 'revoked',
    actor: 'bot',
    since: '2026-03-01T00:00:01.000Z',
  });
  expect(rights.holds()).toBe(false);
  expect(revokeKey(file, 'bot', now + 9000)).toEqual({ revokedAt: '2026-03-01T00:00:01.000Z' });
  await rm(file);
  expect(open.authenticate(`Bearer ${key}`)).toEqual({ status: 'wrong' });
  expect(accepted(open, firstKey).actor).toBe('key');
});

test('a key expires at its time, not before', async () => {
  const file = await keysFile();
  const { key } = makeKey(file, { ...bot, expiresAt: '2026-03-02T00:00:00.000Z' }, now);
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
  const file = await keysFile();
  const [{ key }, other] = [makeKey(file, bot, now), makeKey(file, { ...bot, name: 'other' }, now)];
  const open = ring(file);
  const [{ revoked }, ofOther] = [accepted(open, key), accepted(open, other.key).revoked];
  makeKey(file, { ...bot, name: 'third' }, now);
  expect(accepted(open, key).revoked).toBe(revoked);
  revokeKey(file, 'bot', now);
  expect(revoked.aborted).toBe(false);
  open.look();
  expect([revoked.reason, ofOther.aborted]).toEqual([new Error('the key bot was revoked'), false]);
  const { keys } = JSON.parse(await readFile(file, 'utf8'));
  // Removed by hand, and replaced by another key of the same name.
  await writeFile(file, JSON.stringify({ keys: [{ ...keys[1], sha256: 'a'.repeat(64) }] }));
  open.look();
  expect(ofOther.reason).toEqual(new Error('the key other was revoked'));
});

test('keys whose file cannot be examined are unchanged, which is reported once', async () => {
  const file = await keysFile();
  const { key } = makeKey(file, bot, now);
  const way = `${dirname(file)}.way`;
  onTestFinished(() => rm(way, { force: true }));
  await symlink(dirname(file), way);
  const reported: unknown[] = [];
  const open = keyRing({
    ...{ firstKey, file: join(way, basename(file)), now: () => now },
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
  const file = await keysFile();
  const { key } = makeKey(file, { ...bot, expiresAt: '2026-03-02T00:00:00.000Z' }, now);
  let time = now;
  const open = ring(file, () => time);
  const rights = accepted(open, key);
  time = Date.parse('2026-03-03T00:00:00Z');
  makeKey(file, { ...bot, name: 'other' }, now);
  open.look();
  expect([rights.holds(), rights.revoked.aborted]).toEqual([false, false]);
});

test('a key with a rate is limited to it, without affecting other keys', async () => {
  const file = await keysFile();
  const { key } = makeKey(file, { ...bot, ratePerMinute: 2 }, now);
  const open = ring(file);
  accepted(open, key);
  accepted(open, key);
  expect(open.authenticate(`Bearer ${key}`)).toEqual({
    status: 'limited',
    actor: 'bot',
    retryAfterMs: 30_000,
  });
  makeKey(file, { ...bot, name: 'other' }, now);
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
  const file = await keysFile();
  makeKey(file, bot, now);
  makeKey(file, { ...bot, name: 'gone' }, now);
  revokeKey(file, 'gone', now);
  const before = await readFile(file, 'utf8');
  expect(() => makeKey(file, request, now)).toThrow(new KeyRefusedError(says));
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(makeKey(file, { ...bot, name: 'new' }, now).record.name).toBe('new');
});

test('refuses to revoke an unknown key', async () => {
  const file = await keysFile();
  expect(() => revokeKey(file, 'none', now)).toThrow(
    new KeyRefusedError('the key "none" does not exist; "ambit key list" lists the keys'),
  );
});

test('refuses the second of two simultaneous changes, and accepts it when the first is done', async () => {
  const file = await keysFile();
  changeKeys(file, (keys) => {
    expect(() => makeKey(file, bot, now)).toThrow(/^another command is changing the keys; try again/);
    return keys;
  });
  expect(makeKey(file, bot, now).record.name).toBe('bot');
  expect(await readdir(join(file, '..'))).toEqual(['keys.json']);
});

test('a failed change leaves the old file and no draft', async () => {
  const file = await keysFile();
  const { record } = makeKey(file, bot, now);
  expect(() =>
    changeKeys(file, () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(readKeys(file)).toEqual([record]);
  expect(await readdir(join(file, '..'))).toEqual(['keys.json']);
});

describe('an unusable file', () => {
  const record = {
    name: 'bot',
    scopes: ['prompt'],
    sha256: 'a'.repeat(64),
    createdAt: '2026-03-01T00:00:00Z',
  };
  const cases: [claim: string, content: string, says: RegExp][] = [
    ['truncated', '{"keys": [', /fix it, or remove it.*: it is not JSON/],
    [
      'with an unknown key',
      JSON.stringify({ keys: [{ ...record, scope: 'x' }] }),
      /unknown field "scope".*scopes/,
    ],
    [
      'with an unknown scope',
      JSON.stringify({ keys: [{ ...record, scopes: ['all'] }] }),
      /keys\.0\.scopes\.0/,
    ],
    [
      'without scopes',
      JSON.stringify({ keys: [{ ...record, scopes: [] }] }),
      /a key needs at least one scope/,
    ],
    [
      'with an empty list of skills',
      JSON.stringify({ keys: [{ ...record, skills: [] }] }),
      /leave "skills" out/,
    ],
    [
      'with an admin key for some skills',
      JSON.stringify({ keys: [{ ...record, scopes: ['admin'], skills: ['a'] }] }),
      /the scope admin covers all skills/,
    ],
    [
      'with two keys of one name',
      JSON.stringify({ keys: [record, { ...record, sha256: 'b'.repeat(64) }] }),
      /already/,
    ],
    [
      'with a key named first',
      JSON.stringify({ keys: [{ ...record, name: 'first' }] }),
      /choose another name/,
    ],
    ['with an invalid time', JSON.stringify({ keys: [{ ...record, expiresAt: 'soon' }] }), /must be a time/],
    ['with an invalid ceiling', JSON.stringify({ keys: [{ ...record, ceiling: { net: [] } }] }), /"net"/],
  ];

  test.each(cases)('refuses to start with a reason if it is %s', async (_, content, says) => {
    const file = await keysFile();
    await writeFile(file, content, { mode: 0o600 });
    expect(() => ring(file)).toThrow(KeyFileError);
    expect(() => ring(file)).toThrow(says);
    await writeFile(file, JSON.stringify({ keys: [record] }));
    ring(file);
  });

  test('refuses to start if others can read it, and starts with mode 600', async () => {
    const file = await keysFile();
    makeKey(file, bot, now);
    await chmod(file, 0o640);
    expect(() => ring(file)).toThrow(
      `other users can access the keys' file ${file}; run "chmod 600 ${file}"`,
    );
    await chmod(file, 0o600);
    ring(file);
  });

  test('refuses to start if it is a link', async () => {
    const [file, other] = [await keysFile(), await keysFile()];
    makeKey(other, bot, now);
    await symlink(other, file);
    expect(() => ring(file)).toThrow(/is a symbolic link/);
    ring(other);
  });

  test('leaves the keys that were read before and is reported once if it breaks while a ring is open', async () => {
    const file = await keysFile();
    const { key } = makeKey(file, bot, now);
    const reported: unknown[] = [];
    const open = keyRing({ firstKey, file, now: () => now, onUnusable: (error) => reported.push(error) });
    await writeFile(file, 'no');
    const { revoked } = accepted(open, key);
    accepted(open, key);
    expect([reported, revoked.aborted]).toEqual([[expect.any(KeyFileError)], false]);
    await writeFile(file, '{ "keys": [] }');
    expect(open.authenticate(`Bearer ${key}`)).toEqual({ status: 'wrong' });
  });

  test('leaves them as well if it becomes a link to itself', async () => {
    const file = await keysFile();
    const { key } = makeKey(file, bot, now);
    const reported: unknown[] = [];
    const open = keyRing({ firstKey, file, now: () => now, onUnusable: (error) => reported.push(error) });
    await rm(file);
    await symlink(file, file);
    accepted(open, key);
    accepted(open, firstKey);
    expect(reported).toEqual([expect.any(KeyFileError)]);
  });
});

test.runIf(process.getuid?.() === 0)(
  'a key that root creates is readable for the owner of the data directory (needs root)',
  async () => {
    const [theirs, own] = [await keysFile(), await keysFile()];
    await chown(dirname(theirs), 1234, 1235);
    for (const file of [theirs, own]) makeKey(file, bot, now);
    revokeKey(theirs, 'bot', now);
    const ownerOf = async (file: string) => {
      const { uid, gid, mode } = await stat(file);
      return [uid, gid, mode & 0o777];
    };
    expect(await ownerOf(theirs)).toEqual([1234, 1235, 0o600]);
    expect(await ownerOf(own)).toEqual([0, 0, 0o600]);
  },
);

function ring(file: string, clock: () => number = () => now): KeyRing {
  return keyRing({
    firstKey,
    file,
    now: clock,
    onUnusable: (error) => {
      throw error;
    },
  });
}

function accepted(open: KeyRing, key: string) {
  const judged = open.authenticate(`Bearer ${key}`);
  if (judged.status !== 'accepted') throw new Error(`the key is ${judged.status}`);
  return judged.rights;
}

async function keysFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'keys.json');
}
