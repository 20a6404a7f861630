// Threat model: T151

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { plainConfig } from '../testing/run-ambit.ts';
import { denyListCheck } from './deny-list-check.ts';

const url = 'https://lists.example/deny.json';
const hourMs = 3_600_000;

test('says nothing without a deny list, and warns if it was never fetched or is stale', async () => {
  const dataDir = await temporaryFolder();
  const plain = { ...plainConfig, dataDir };
  const denyList = { url, ed25519: '/list.pub', refreshSeconds: 3600 };
  const config = { ...plain, installs: { ...plain.installs, denyList } };
  const now = Date.now();
  expect(await denyListCheck(plain, {}, now)).toEqual([]);
  expect(await denyListCheck(config, {}, now)).toMatchObject([
    { status: 'limited', found: `${url} was never fetched` },
  ]);

  const store = openSqliteStore(join(dataDir, 'store.db'));
  const list = { url, serial: 7, sha256: 'd', subjects: '[]', checkedAt: now };
  await store.run('applyDenyList', { list, revocations: [] });
  await store.close();
  expect(await denyListCheck(config, {}, now + 23 * hourMs)).toMatchObject([
    { status: 'ok', found: `${url}, serial 7, checked ${new Date(now).toISOString()}` },
  ]);
  expect(await denyListCheck(config, {}, now + 25 * hourMs)).toMatchObject([
    { status: 'limited', found: expect.stringContaining('25 hours ago') },
  ]);
});
