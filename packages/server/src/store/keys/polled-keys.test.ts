// Threat model: T235

import { expect, onTestFinished, test, vi } from 'vitest';
import { databases, keyNamed as key } from '../testing/databases.ts';
import { type PolledKeys, polledKeys } from './polled-keys.ts';
import { type KeyDatabase, storedKeys } from './stored-keys.ts';

const [sqlite] = databases;

test('does not read the keys again while their revision is the same', async () => {
  const database = await keyDatabase();
  const asked: string[] = [];
  const counting: KeyDatabase = {
    run(name, ...given) {
      asked.push(name);
      return database.run(name, ...given);
    },
  };
  await polling(counting);
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(5));
  expect(asked.filter((name) => name === 'listKeys')).toHaveLength(1);
});

test('accepts the last keys until they are out of date, then refuses with the reason, and recovers', async () => {
  const database = await keyDatabase();
  await storedKeys(database, 'unusable').add(key('a'));
  let time = 0;
  let failure: Error | undefined;
  const unreliable: KeyDatabase = {
    run: (name, ...given) => (failure === undefined ? database.run(name, ...given) : Promise.reject(failure)),
  };
  const polled = await polling(unreliable, () => time);
  failure = new Error('the database is gone');
  time = 30_000;
  polled.requireFresh();
  time = 30_001;
  await vi.waitFor(() =>
    expect(() => polled.requireFresh()).toThrow(
      expect.objectContaining({
        code: 'STORE_UNAVAILABLE',
        message:
          'the keys have not been read for 30 s, so only the first key is accepted: the database is gone',
      }),
    ),
  );
  expect(polled.read()).toEqual([key('a')]);
  failure = undefined;
  await vi.waitFor(() => polled.requireFresh());
});

test('reads the keys again after a failure, because the database may be an older copy', async () => {
  const [database, other] = [await keyDatabase(), await keyDatabase()];
  await storedKeys(database, 'unusable').add(key('a'));
  await storedKeys(other, 'unusable').add(key('b'));
  let current: KeyDatabase | undefined = database;
  let failures = 0;
  const changing: KeyDatabase = {
    run(name, ...given) {
      if (current !== undefined) return current.run(name, ...given);
      failures += 1;
      return Promise.reject(new Error('gone'));
    },
  };
  const polled = await polling(changing);
  expect(polled.read()).toEqual([key('a')]);
  current = undefined;
  await vi.waitUntil(() => failures > 0);
  current = other;
  await vi.waitFor(() => expect(polled.read()).toEqual([key('b')]));
});

async function keyDatabase(): Promise<KeyDatabase> {
  if (sqlite === undefined) throw new Error('SQLite is always there');
  return (await sqlite.create()).openKeys();
}

async function polling(database: KeyDatabase, now?: () => number): Promise<PolledKeys> {
  const options = { database, unusable: 'unusable', intervalMs: 5 };
  const polled = await polledKeys(now === undefined ? options : { ...options, now });
  onTestFinished(() => polled.close());
  return polled;
}
