// Threat model: T302

import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, copyFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databases, openSqlite } from '../../../packages/server/src/store/testing/databases.ts';
import { sqlite } from '../../support/sqlite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Root in a container may not be allowed to mount. */
const mayMount = process.geteuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

const claim = (name: string) => ({
  name,
  owner: 'owner',
  executionId: `of ${name}`,
  fingerprint: 'f',
  claimedAt: 1,
});

describe.each(databases)('the store in $name', (database) => {
  test('has everything that was acknowledged by a store that was left open', async () => {
    const { open } = await database.create();
    const names = Array.from({ length: 50 }, (_, index) => `claim ${index}`);
    const first = await open();
    await Promise.all(names.map((name) => first.run('claim', claim(name), 0)));
    const second = await open();
    const found = await Promise.all(names.map((name) => second.run('findClaim', name, 0)));
    expect(found.map((each) => each?.executionId)).toEqual(names.map((name) => `of ${name}`));
  });
});

describe('the store in a file of SQLite', () => {
  test.each([
    [
      'is newer',
      "INSERT INTO migrations VALUES ('store', 99, 'later', '')",
      'its schema has version 99, and this Ambit knows versions up to 1',
    ],
    [
      "is another one, a development version's",
      "UPDATE migrations SET digest = 'd'",
      'it was written by a development version of Ambit; to start anew, export the log',
    ],
    [
      "has no digest, as a development version's",
      'ALTER TABLE migrations DROP COLUMN digest',
      'it was written by a development version of Ambit; to start anew, export the log',
    ],
  ])('is refused if its schema %s', async (_, change, says) => {
    const file = join(await temporaryFolder(), 'store.db');
    const store = openSqlite(file);
    await store.run('probe');
    await store.close();
    const other = new DatabaseSync(file);
    other.exec(change);
    other.close();
    await expect(openSqlite(file).run('probe')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`the store ${file} cannot be used: ${says}`),
    });
  });

  test('is refused if it is not a database, and works when that is fixed', async () => {
    const file = join(await temporaryFolder(), 'store.db');
    await writeFile(file, 'x'.repeat(4096));
    const store = openSqlite(file);
    await expect(store.run('probe')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('it is damaged; stop Ambit, keep a copy of it'),
    });
    await rm(file);
    await store.run('probe');
  });

  test('refuses everything while its file is removed or replaced, and works when it is put back', async () => {
    const folder = await temporaryFolder();
    const [file, moved] = [join(folder, 'store.db'), join(folder, 'moved.db')];
    const store = openSqlite(file);
    expect(await store.run('claim', claim('before'), 0)).toBeUndefined();
    const refusal = (how: string) => ({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`it was ${how} while it was in use; put it back, or stop Ambit`),
    });
    await rename(file, moved);
    await expect(store.run('claim', claim('removed'), 0)).rejects.toMatchObject(refusal('removed'));
    await copyFile(moved, file);
    await expect(store.run('claim', claim('replaced'), 0)).rejects.toMatchObject(refusal('replaced'));
    await rename(moved, file);
    expect(await store.run('claim', claim('after'), 0)).toBeUndefined();
    await store.close();
    const next = openSqlite(file);
    const found = await Promise.all(
      ['before', 'removed', 'replaced', 'after'].map((name) => next.run('findClaim', name, 0)),
    );
    expect(found.map((each) => each !== undefined)).toEqual([true, false, false, true]);
  });

  test.each(['wal', 'shm'])('keeps what it acknowledged if its file -%s is removed', async (beside) => {
    const file = join(await temporaryFolder(), 'store.db');
    const store = openSqlite(file);
    await store.run('claim', claim('before'), 0);
    await rm(`${file}-${beside}`);
    await store.run('claim', claim('after'), 0);
    // Another program sees it, as the next process does after a crash.
    expect(sqlite(file, 'SELECT group_concat(name) FROM claims')).toBe('after,before');
  });

  test.runIf(mayMount)(
    'refuses what a full disk has no space for, and keeps the rest (needs root, to mount)',
    async () => {
      const disk = await temporaryFolder();
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=755', 'tmpfs', disk]);
      onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
      const store = openSqlite(join(disk, 'store.db'));
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const stored: string[] = [];
      let refused: unknown;
      for (const name of names) {
        await store.run('claim', claim(name), 0).catch(() => undefined);
        const response = { head: '{}', body: new Uint8Array(512 * 1024) };
        const done = await store
          .run('storeResponse', name, `of ${name}`, response)
          .catch((error: unknown) => {
            refused ??= error;
            return false;
          });
        if (done) stored.push(name);
      }
      expect(refused).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('the disk is full; free some space'),
      });
      expect(stored.length).toBeGreaterThan(0);
      for (const name of stored)
        expect((await store.run('findClaim', name, 0))?.body).toHaveLength(512 * 1024);
    },
  );

  test('is copied while it is open, as docs/operations.md says', async () => {
    const folder = await temporaryFolder();
    const [file, copy] = [join(folder, 'store.db'), join(folder, 'store-backup.db')];
    const store = openSqlite(file);
    await store.run('claim', claim('before'), 0);
    // In another process: two copies of SQLite in one process do not see each other's locks.
    const vacuum = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec("VACUUM INTO '" + process.argv[2] + "'")`;
    execFileSync(process.execPath, ['--eval', vacuum, file, copy], { stdio: 'pipe' });
    await store.run('claim', claim('after'), 0);
    await chmod(copy, 0o600);
    const restored = openSqlite(copy);
    expect(await restored.run('findClaim', 'before', 0)).toMatchObject({ executionId: 'of before' });
    expect(await restored.run('findClaim', 'after', 0)).toBeUndefined();
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
  });
});
