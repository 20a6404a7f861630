import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyStore, keysFile, openSqlite } from '../../../packages/server/src/store/testing/databases.ts';
import {
  inDatabase,
  openPostgres,
  postgresDatabase,
  socketVariable,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Store = ReturnType<typeof openSqlite>;

const odd = JSON.stringify('U+0000 \0, a lone surrogate \ud800');
const content = Buffer.from(Array.from({ length: 3 * 2 ** 20 }, (_, at) => at % 251));
const claim = (name: string) => ({
  name,
  owner: 'o',
  executionId: `of ${name}`,
  fingerprint: 'f',
  claimedAt: 1,
});
const key = (name: string, revoked: string | null) => ({
  name,
  sha256: `digest of ${name}`,
  record: '{"scopes":["admin"]}',
  revoked_at: revoked,
});
const revoked = '2026-01-01T00:00:00.000Z';

async function files() {
  const folder = await temporaryFolder();
  return { store: join(folder, 'store.db'), keys: join(folder, 'keys.db') };
}

/** Everything that a store can have. */
async function fill(store: Store): Promise<void> {
  for (const name of ['running', 'answered', 'empty']) await store.run('claim', claim(name), 0);
  await store.run('storeResponse', 'answered', 'of answered', { head: odd, body: content });
  await store.run('storeResponse', 'empty', 'of empty', { head: '{}', body: new Uint8Array() });
  await store.run('addContents', 'w', [{ sha256: 'd', part: 0, content }]);
  await store.run('writeWorkspace', 'w', JSON.stringify({ files: [{ sha256: 'd' }], label: '\0' }), 1);
  await store.run('changeState', 's', [{ key: odd, value: odd, bytes: 9 }]);
  await store.run('approve', [{ id: 'acme:docx', digest: 'sha256:d', record: odd }]);
  await store.run('revoke', [{ subject: 'sha256:e', record: odd }]);
}

async function everythingIn(store: Store) {
  const claims = ['running', 'answered', 'empty', 'absent'].map(async (name) => {
    const found = await store.run('findClaim', name, 0);
    return found && { ...found, body: found.body && hash('sha256', found.body) };
  });
  const stored = await store.run('workspaceContent', 'w', 'd', 0);
  return {
    claims: await Promise.all(claims),
    sums: await store.run('sumClaims'),
    workspaces: await store.run('workspaceRecords'),
    content: stored && hash('sha256', stored),
    state: await store.run('stateValues', 's'),
    approvals: (await store.run('listDecisions')).approvals,
    revocations: (await store.run('listDecisions')).revocations,
  };
}

describe.runIf(process.env[socketVariable] !== undefined)('copying a store to PostgreSQL', () => {
  test('copies everything once, and refuses a database that has data', async () => {
    const from = await files();
    const source = openSqlite(from.store);
    await fill(source);
    const keys = [key('first', null), key('second', revoked)];
    for (const each of keys) await keysFile(from.keys).run('addKey', each);
    const settings = await postgresDatabase();
    const rows = {
      claims: 3,
      workspaces: 1,
      contents: 1,
      state_sizes: 1,
      state: 1,
      keys: 2,
      approvals: 1,
      revocations: 1,
    };
    expect(await copyStore(from, settings)).toEqual(rows);
    const target = openPostgres(settings, 'beside');
    expect(await everythingIn(target)).toEqual(await everythingIn(source));
    expect((await target.run('listKeys')).keys).toEqual(keys);
    // Both are usable after the copy.
    const state = { key: '"n"', value: '1', bytes: 4 };
    for (const store of [source, target])
      expect(await store.run('changeState', 's', [state])).toBeUndefined();
    expect(await target.run('addKey', key('third', null))).toBeUndefined();
    await target.run('revokeKey', 'first', revoked);
    const before = await everythingIn(target);
    expect(await copyStore(from, settings)).toBeUndefined();
    expect(await everythingIn(target)).toEqual(before);
    expect((await target.run('listKeys')).keys).toHaveLength(3);
  });

  test('copies keys without a store, and a store without keys', async () => {
    const [keysOnly, storeOnly] = [await files(), await files()];
    await keysFile(keysOnly.keys).run('addKey', key('first', null));
    await fill(openSqlite(storeOnly.store));
    expect(await copyStore(keysOnly, await postgresDatabase())).toMatchObject({ claims: 0, keys: 1 });
    expect(await copyStore(storeOnly, await postgresDatabase())).toMatchObject({ claims: 3, keys: 0 });
  });

  test('copies nothing if one row cannot be copied, and everything when that is corrected', async () => {
    const from = await files();
    await fill(openSqlite(from.store));
    const file = new DatabaseSync(from.store);
    onTestFinished(() => file.close());
    file.exec("INSERT INTO state VALUES ('t', '\"a\"', 1, char(0))");
    const settings = await postgresDatabase();
    await expect(copyStore(from, settings)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const target = openPostgres(settings, 'beside');
    expect((await target.run('sumClaims')).length).toBe(0);
    file.exec("DELETE FROM state WHERE skill = 't'");
    expect(await copyStore(from, settings)).toMatchObject({ claims: 3 });
  });

  test('is refused while a daemon uses the database', async () => {
    const [from, settings] = [await files(), await postgresDatabase()];
    await keysFile(from.keys).run('addKey', key('first', null));
    const daemon = openPostgres(settings);
    await daemon.run('probe');
    await expect(copyStore(from, settings)).rejects.toThrow('another Ambit uses it');
    await daemon.close();
    expect(await copyStore(from, settings)).toMatchObject({ keys: 1 });
    expect(await inDatabase(settings, 'SELECT name FROM ambit.keys')).toEqual([{ name: 'first' }]);
  });
});
