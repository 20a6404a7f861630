// Threat model: T234, T236, T301

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { chmod, chown, copyFile, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { KeyFileError } from '@ambit/client/node';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { KeyStore } from '../../auth/key-store.ts';
import { lockWaitMs } from '../sqlite/open-store-file.ts';
import { byHand } from '../testing/by-hand.ts';
import { keyNamed as key } from '../testing/databases.ts';
import { interruptChange } from '../testing/interrupted-change.ts';
import { keysFile, keysFileSource, unusableKeys } from './keys-file.ts';
import { storedKeys } from './stored-keys.ts';

test('a file that does not exist, or is still empty, has no keys', async () => {
  const file = await keysFileIn();
  expect([keysFileSource(file).read(), await storeIn(file).list()]).toEqual([[], []]);
  expect(keysFileSource(file).stamp()).toBeUndefined();
  await writeFile(file, '', { mode: 0o600 });
  expect([keysFileSource(file).read(), await storeIn(file).list()]).toEqual([[], []]);
});

test('after a change there is the file alone, with mode 600 and all keys in it', async () => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  await storeIn(file).revoke('a', '2026-03-02T00:00:00.000Z');
  expect(readdirSync(dirname(file))).toEqual(['keys.db']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(keysFileSource(file).read()).toEqual([{ ...key('a'), revokedAt: '2026-03-02T00:00:00.000Z' }]);
});

test('a failed change leaves the keys unchanged, and no journal', async () => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  const broken = { name: 'b', sha256: 'b', record: null as unknown as string, revoked_at: null };
  await expect(keysFile(file).run('addKey', broken)).rejects.toThrow(KeyFileError);
  expect(await storeIn(file).list()).toEqual([key('a')]);
  expect(readdirSync(dirname(file))).toEqual(['keys.db']);
});

test('the change of a killed process is undone by the next read, and the file is the same as before', async () => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  const before = await readFile(file);
  const source = keysFileSource(file);
  source.read();
  const stamp = source.stamp();
  interruptChange(file);
  expect((await readFile(file)).equals(before)).toBe(false);
  expect(source.stamp()).not.toBe(stamp);
  expect(source.read()).toEqual([key('a')]);
  expect((await readFile(file)).equals(before)).toBe(true);
  expect(readdirSync(dirname(file))).toEqual(['keys.db']);
  interruptChange(file);
  await storeIn(file).add(key('b'));
  expect(source.read()).toEqual([key('a'), key('b')]);
});

test('a backup that is copied into place has its keys again, and the daemon notices it', async () => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  const backup = join(dirname(file), 'keys-backup.db');
  byHand(file, `VACUUM INTO '${backup}'`);
  await chmod(backup, 0o600);
  await storeIn(file).add(key('b'));
  const source = keysFileSource(file);
  expect([source.read(), source.read()]).toEqual([
    [key('a'), key('b')],
    [key('a'), key('b')],
  ]);
  const stamp = source.stamp();
  await copyFile(backup, file);
  expect(source.stamp()).not.toBe(stamp);
  expect(source.read()).toEqual([key('a')]);
  await storeIn(file).add(key('c'));
  expect(source.read()).toEqual([key('a'), key('c')]);
});

test('two changes in one tick of the clock have two stamps, and an unchanged file keeps its stamp', async () => {
  const file = await keysFileIn();
  const source = keysFileSource(file);
  // As on a file system with coarse times, also of the last change of the inode.
  const stampAt = (time: Date): string => {
    utimesSync(file, time, time);
    return String(source.stamp()).replace(/^(\d+ \d+ \d+ \d+) \d+/, '$1');
  };
  const moment = new Date();
  await storeIn(file).add(key('a'));
  const first = stampAt(moment);
  await storeIn(file).revoke('a', '2026-03-02T00:00:00.000Z');
  expect(stampAt(moment)).not.toBe(first);
  const old = new Date(Date.now() - 60_000);
  const settled = stampAt(old);
  expect(stampAt(old)).toBe(settled);
});

test('a stamp differs after every change, however fast they follow', async () => {
  const file = await keysFileIn();
  const source = keysFileSource(file);
  const stamps = new Set([source.stamp()]);
  for (let number = 0; number < 50; number += 1) {
    await storeIn(file).add(key(`k${number}`));
    stamps.add(source.stamp());
  }
  expect(stamps.size).toBe(51);
});

test('refuses a file that others can read, with the command to run, and accepts it with mode 600', async () => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  await chmod(file, 0o640);
  const refusal = new KeyFileError(`other users can access the keys' file ${file}; run "chmod 600 ${file}"`);
  expect(() => keysFileSource(file).read()).toThrow(refusal);
  await expect(storeIn(file).add(key('b'))).rejects.toEqual(refusal);
  await chmod(file, 0o600);
  expect(keysFileSource(file).read()).toEqual([key('a')]);
});

test('refuses a link, a folder, and a link in place of the journal', async () => {
  const [file, other] = [await keysFileIn(), await keysFileIn()];
  await storeIn(other).add(key('a'));
  await symlink(other, file);
  expect(() => keysFileSource(file).read()).toThrow(`the keys' file ${file} is a symbolic link`);
  await expect(storeIn(file).add(key('b'))).rejects.toThrow('is a symbolic link');
  expect(() => keysFileSource(dirname(file)).read()).toThrow(KeyFileError);
  for (const end of ['-journal', '-wal']) {
    await symlink('/etc/hostname', `${other}${end}`);
    expect(() => keysFileSource(other).read()).toThrow(`${other}${end} is a symbolic link`);
    await rm(`${other}${end}`);
  }
  expect(keysFileSource(other).read()).toEqual([key('a')]);
});

test.each<[claim: string, statement: string, says: RegExp]>([
  ['is not JSON', `UPDATE keys SET record = '{'`, /the key "a" is damaged: .*JSON/],
  ['is no object', `UPDATE keys SET record = 'null'`, /the key "a" is damaged: .*scopes/],
  ['has an unknown field', record('{"scopes":["prompt"],"scope":"x"}'), /unknown field "scope".*scopes/],
  ['has an unknown scope', record('{"scopes":["all"]}'), /the key "a" is damaged: scopes\.0/],
  ['has no scopes', record('{"scopes":[]}'), /a key needs at least one scope/],
  ['has an empty list of skills', record('{"scopes":["prompt"],"skills":[]}'), /leave "skills" out/],
  [
    'is an admin key for some skills',
    record('{"scopes":["admin"],"skills":["a"]}'),
    /the scope admin covers all skills/,
  ],
  ['is named first', `UPDATE keys SET name = 'first'`, /choose another name/],
  ['has an invalid time', record('{"scopes":["prompt"],"expiresAt":"soon"}'), /must be a time/],
  ['has an invalid ceiling', record('{"scopes":["prompt"],"ceiling":{"net":[]}}'), /"net"/],
  ['has an invalid digest', `UPDATE keys SET sha256 = 'A'`, /must be a SHA-256/],
  ['has an invalid revocation', `UPDATE keys SET revoked_at = 'once'`, /must be a time/],
])('refuses a key that %s, and names it', async (_, statement, says) => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  byHand(file, statement);
  expect(() => keysFileSource(file).read()).toThrow(KeyFileError);
  expect(() => keysFileSource(file).read()).toThrow(says);
  expect(() => keysFileSource(file).read()).toThrow(
    /restore a backup, or remove it and create the keys again/,
  );
  await expect(storeIn(file).list()).rejects.toThrow(says);
});

test.each<[claim: string, damage: (file: string) => unknown, says: RegExp]>([
  ['is not a database', (file) => writeFile(file, 'no'.repeat(2000)), /it is damaged; .*restore a backup/],
  ['has other tables', (file) => byHand(file, 'DROP TABLE keys'), /is unusable; .*no such table/],
  [
    'has a newer schema',
    (file) => byHand(file, "INSERT INTO migrations VALUES ('keys', 99, '', '')"),
    /its schema has version 99.*use the newer Ambit/,
  ],
  [
    'comes from a development version',
    (file) => byHand(file, 'ALTER TABLE migrations DROP COLUMN digest'),
    /it was written by a development version of Ambit; to start anew, export the log/,
  ],
  [
    'has a write-ahead log',
    (file) => byHand(file, 'PRAGMA journal_mode = WAL'),
    /has the journal mode wal, which hides changes; run: sqlite3 .* "PRAGMA journal_mode = DELETE"/,
  ],
  [
    'has more keys than allowed',
    (file) =>
      byHand(
        file,
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO keys (name, sha256, record, revoked_at, position) SELECT 'n' || i, i, '{}', NULL, i FROM n`,
      ),
    /it has more than 10000 keys/,
  ],
  [
    'has a view with endless rows in place of its keys',
    (file) =>
      byHand(
        file,
        `ALTER TABLE keys RENAME TO others; CREATE VIEW keys AS
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
         SELECT 'n' || i AS name, '' AS sha256, '{}' AS record, NULL AS revoked_at, i AS position FROM n`,
      ),
    /is unusable; .*it has a view, "keys"/,
  ],
  [
    'has a trigger that undoes revocations',
    (file) =>
      byHand(file, `CREATE TRIGGER undo AFTER UPDATE ON keys BEGIN UPDATE keys SET revoked_at = NULL; END`),
    /is unusable; .*it has a trigger, "undo"/,
  ],
])('refuses a file that %s', async (_, damage, says) => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  await damage(file);
  expect(() => keysFileSource(file).read()).toThrow(KeyFileError);
  expect(() => keysFileSource(file).read()).toThrow(says);
  await expect(storeIn(file).list()).rejects.toThrow(says);
});

test.each([
  ['without migrations', 'CREATE TABLE notes (text)'],
  [
    'with migrations of its own',
    'CREATE TABLE migrations (name TEXT, version INTEGER, time TEXT, digest TEXT); CREATE TABLE keys (name TEXT)',
  ],
])(
  "another program's database %s is refused for reads and changes, and left unchanged",
  async (_, tables) => {
    const file = await keysFileIn();
    await writeFile(file, '', { mode: 0o600 });
    byHand(file, tables);
    const before = await readFile(file);
    const refusal = new KeyFileError(`${file} is another program's database; choose another file`);
    expect(() => keysFileSource(file).read()).toThrow(refusal);
    await expect(storeIn(file).list()).rejects.toThrow(refusal);
    await expect(storeIn(file).add(key('a'))).rejects.toThrow(refusal);
    expect((await readFile(file)).equals(before)).toBe(true);
  },
);

test('waits for another change at the first read only for long, then briefly, then not at all', async () => {
  const file = await keysFileIn();
  await storeIn(file).add(key('a'));
  const source = keysFileSource(file);
  expect(source.read()).toEqual([key('a')]);
  const other = new Sqlite(file);
  other.exec('BEGIN EXCLUSIVE');
  const lockedFor = (): number => {
    const start = performance.now();
    expect(() => source.read()).toThrow('another process has locked it');
    return performance.now() - start;
  };
  const first = lockedFor();
  // The shortest of some, because a busy machine can interrupt one.
  const later = Math.min(...Array.from({ length: 5 }, lockedFor));
  expect([first >= 40 && first < lockWaitMs, later < first]).toEqual([true, true]);
  other.close();
  expect(source.read()).toEqual([key('a')]);
});

test.runIf(process.geteuid?.() === 0)(
  'a file that root creates, and its journal, belong to the owner of the data directory (needs root)',
  async () => {
    const [theirs, own] = [await keysFileIn(), await keysFileIn()];
    await chown(dirname(theirs), 1234, 1235);
    for (const file of [theirs, own]) await storeIn(file).add(key('a'));
    await storeIn(theirs).revoke('a', '2026-03-02T00:00:00.000Z');
    const ownerOf = async (file: string) => {
      const { uid, gid, mode } = await stat(file);
      return [uid, gid, mode & 0o777];
    };
    expect(await ownerOf(theirs)).toEqual([1234, 1235, 0o600]);
    expect(await ownerOf(own)).toEqual([0, 0, 0o600]);
    const database = new Sqlite(theirs);
    database.exec('BEGIN IMMEDIATE; DELETE FROM keys');
    expect(await ownerOf(`${theirs}-journal`)).toEqual([1234, 1235, 0o600]);
    database.close();
  },
);

test('a change that ended with its process is undone, and acknowledged changes remain', async () => {
  const file = await keysFileIn();
  const acknowledged: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const programs = ['a', 'b'].map((name) => changing(file, `${name}${round}c`, acknowledged));
    await Promise.all(programs.map(({ begun }) => begun));
    await delay(Math.random() * 60);
    for (const { child } of programs) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    const stored = new Set(
      keysFileSource(file)
        .read()
        .map(({ name }) => name),
    );
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(4);
  await storeIn(file).add(key('last'));
  expect(existsSync(`${file}-journal`)).toBe(false);
});

/** A process that creates keys one after the other, and adds each name to `acknowledged`. */
function changing(
  file: string,
  prefix: string,
  acknowledged: string[],
): { child: ChildProcess; begun: Promise<unknown> } {
  const program = `
    import { writeSync } from 'node:fs';
    import { keysFile } from ${JSON.stringify(join(import.meta.dirname, 'keys-file.ts'))};
    const keys = keysFile(${JSON.stringify(file)});
    const record = '{"scopes":["prompt"],"createdAt":"2026-03-01T00:00:00.000Z"}';
    for (let number = 0; ; number += 1) {
      const name = ${JSON.stringify(prefix)} + number;
      await keys.run('addKey', { name, sha256: name.padStart(64, '0'), record, revoked_at: null });
      writeSync(1, name + '\\n');
      // SQLite's lock has no queue: without pauses, one process could hold it all the time.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  lines.on('line', (name) => acknowledged.push(name));
  return { child, begun: Promise.race([once(lines, 'line'), once(child, 'close')]) };
}

function record(json: string): string {
  const whole = { createdAt: '2026-03-01T00:00:00.000Z', ...JSON.parse(json) };
  return `UPDATE keys SET record = '${JSON.stringify(whole)}'`;
}

function storeIn(file: string): KeyStore {
  return storedKeys(keysFile(file), unusableKeys(file));
}

async function keysFileIn(): Promise<string> {
  return join(await temporaryFolder(), 'keys.db');
}
