import { describe, expect, test } from 'vitest';
import {
  databases,
  type KeyDatabase,
  type KeyRecord,
  type KeyStore,
  keyNamed as key,
  storedKeys,
} from '../../../packages/server/src/store/testing/databases.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 2, 1, 0, 0, second)).toISOString();

describe.each(databases)('the keys in $name', (database) => {
  test('lists every key with its whole record, in order of creation', async () => {
    const { keys } = await opened();
    const records: KeyRecord[] = [
      key('z'),
      {
        ...key('a'),
        scopes: ['skills:read', 'skills:execute'],
        skills: ['a', 'quote " and \u{1f511}', 'lone \ud800', 'zero \u0000'],
        ceiling: { capabilities: { network: [] }, limits: { timeoutMs: 5 } },
        ratePerMinute: 10,
        expiresAt: at(50),
      },
      { ...key('m'), revokedAt: at(40) },
    ];
    expect(await keys.list()).toEqual([]);
    for (const record of records) expect(await keys.add(record)).toEqual({ status: 'added' });
    expect(await keys.list()).toEqual(records);
  });

  test('a stored key is listed after the database is opened again', async () => {
    const { keys, again } = await opened();
    await keys.add(key('a'));
    await keys.revoke('a', at(5));
    expect(await (await again()).keys.list()).toEqual([{ ...key('a'), revokedAt: at(5) }]);
  });

  test('a used name is refused with its record and changes nothing, also after a revocation', async () => {
    const { keys, revision } = await opened();
    await keys.add(key('a'));
    const other = { ...key('a'), sha256: 'b'.repeat(64), scopes: ['admin' as const] };
    const before = await revision();
    expect(await keys.add(other)).toEqual({ status: 'taken', by: key('a') });
    expect(await revision()).toBe(before);
    await keys.revoke('a', at(5));
    expect(await keys.add(other)).toEqual({ status: 'taken', by: { ...key('a'), revokedAt: at(5) } });
    expect(await keys.list()).toEqual([{ ...key('a'), revokedAt: at(5) }]);
  });

  test('a digest belongs to one key', async () => {
    const { keys } = await opened();
    await keys.add(key('a'));
    const same = { ...key('b'), sha256: key('a').sha256 };
    expect(await keys.add(same)).toEqual({ status: 'taken', by: key('a') });
    expect(await keys.add(key('b'))).toEqual({ status: 'added' });
  });

  test('a revocation has the time of the first one, and leaves other keys alone', async () => {
    const { keys, revision } = await opened();
    for (const name of ['a', 'b']) await keys.add(key(name));
    expect(await keys.revoke('a', at(5))).toEqual({ ...key('a'), revokedAt: at(5) });
    const before = await revision();
    expect(await keys.revoke('a', at(9))).toEqual({ ...key('a'), revokedAt: at(5) });
    expect(await keys.revoke('none', at(9))).toBeUndefined();
    expect(await revision()).toBe(before);
    expect(await keys.list()).toEqual([{ ...key('a'), revokedAt: at(5) }, key('b')]);
  });

  test('the revision grows with each change', async () => {
    const { keys, revision } = await opened();
    const seen = [await revision()];
    for (const change of [
      () => keys.add(key('a')),
      () => keys.add(key('b')),
      () => keys.revoke('a', at(5)),
    ]) {
      await change();
      seen.push(await revision());
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(new Set(seen).size).toBe(4);
  });

  test('simultaneous changes over two connections all succeed, each once', async () => {
    const { keys, again } = await opened();
    const stores: KeyStore[] = [keys, (await again()).keys];
    const names = Array.from({ length: 25 }, (_, number) => `k${number}`);
    const answers = await Promise.all(names.flatMap((name) => stores.map((store) => store.add(key(name)))));
    expect(answers.filter(({ status }) => status === 'added')).toHaveLength(25);
    expect(answers.filter(({ status }) => status === 'taken')).toHaveLength(25);
    const listed = await keys.list();
    expect(listed.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(await stores[1]?.list()).toEqual(listed);
  });

  test('simultaneous revocations agree on one time', async () => {
    const { keys, again } = await opened();
    await keys.add(key('a'));
    const stores = [keys, (await again()).keys];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) => stores[number % 2]?.revoke('a', at(number))),
    );
    const times = new Set(answers.map((answer) => answer?.revokedAt));
    expect(times.size).toBe(1);
    expect(await keys.list()).toEqual([{ ...key('a'), revokedAt: [...times][0] }]);
  });

  test('stores ten thousand keys, and refuses one more', async () => {
    const { database: keysDatabase, keys } = await opened();
    const many = Array.from({ length: 10_000 }, (_, number) => key(`k${number}`));
    const rows = many.map(({ name, sha256, ...rest }) => ({
      name,
      sha256,
      record: JSON.stringify(rest),
      revoked_at: null,
    }));
    await keysDatabase.run('copyKeys', rows);
    expect(await keys.add(key('more'))).toEqual({ status: 'full' });
    expect(await keys.list()).toEqual(many);
    expect(await keys.revoke('k7', at(1))).toMatchObject({ revokedAt: at(1) });
  });

  async function opened() {
    const { openKeys } = await database.create();
    const connected = async () => {
      const keysDatabase: KeyDatabase = await openKeys();
      return {
        database: keysDatabase,
        keys: storedKeys(keysDatabase, 'unusable'),
        revision: () => keysDatabase.run('keysRevision'),
      };
    };
    return { ...(await connected()), again: connected };
  }
});
