import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { byHand } from '../store/testing/by-hand.ts';
import { plainConfig } from '../testing/plain-config.ts';
import { storeCheck } from './store-check.ts';

const isRoot = process.geteuid?.() === 0;
/** Root may write to everything except read-only mounts, which a container may not allow. */
const canDenyWrites = !isRoot || spawnSync('unshare', ['--mount', 'true']).status === 0;
const refusals =
  'calls with an Idempotency-Key, calls of workspaces and skills with state are refused; others run';
const fix = 'Do what the message says, and run ambit doctor again';

const check = (dataDir: string) => storeCheck({ ...plainConfig, dataDir }, {});

/** A data directory with a store, which is open or closed. */
async function withStore(isOpen = false, given?: string) {
  const dataDir = given ?? (await temporaryFolder());
  const file = join(dataDir, 'store.db');
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  await store.run('probe');
  if (!isOpen) await store.close();
  return { dataDir, file };
}

test('a store that does not exist yet is fine', async () => {
  const dataDir = await temporaryFolder();
  expect(await check(dataDir)).toEqual({
    name: 'store',
    status: 'ok',
    meaning: 'the first start creates it',
    found: `SQLite, ${join(dataDir, 'store.db')}`,
  });
});

test.each(['in use', 'closed'])(
  'a store that is %s is fine, and the check changes no file',
  async (state) => {
    const { dataDir, file } = await withStore(state === 'in use');
    const before = readdirSync(dataDir);
    expect(await check(dataDir)).toEqual({
      name: 'store',
      status: 'ok',
      found: expect.stringMatching(`^SQLite, ${file}, schema 1, \\d+\\.\\d MiB, \\d+\\.\\d MiB free$`),
      meaning: 'stored responses, workspaces and the state of skills are in it',
    });
    expect(readdirSync(dataDir)).toEqual(before);
  },
);

test('an empty file, as an interrupted first start leaves it, is fine', async () => {
  const dataDir = await temporaryFolder();
  writeFileSync(join(dataDir, 'store.db'), '', { mode: 0o600 });
  expect(await check(dataDir)).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('no schema yet'),
  });
});

test.each([
  ['is not a database', (file: string) => writeFileSync(file, 'x'.repeat(4096))],
  ['has lost its end', (file: string) => truncateSync(file, 8192)],
])('a store that %s is reported with what to do', async (_, damage) => {
  const { dataDir, file } = await withStore();
  damage(file);
  expect(await check(dataDir)).toEqual({
    name: 'store',
    status: 'limited',
    meaning: refusals,
    fix,
    found: `the store ${file} cannot be used: it is damaged; stop Ambit, keep a copy of it, then restore a backup or remove it`,
  });
});

test('a store with a newer schema is reported with what to do', async () => {
  const { dataDir, file } = await withStore();
  byHand(file, "INSERT INTO migrations VALUES ('store', 99, 'later', '')");
  expect(await check(dataDir)).toEqual({
    name: 'store',
    status: 'limited',
    meaning: refusals,
    fix,
    found: expect.stringMatching(
      /its schema has version 99, and this Ambit knows versions up to \d+; use the newer Ambit, or restore a backup/,
    ),
  });
});

test.runIf(canDenyWrites).each(['file', 'folder'])(
  'a store whose %s cannot be written is reported with what to do (as root, needs to mount)',
  async (what) => {
    const disk = await temporaryFolder();
    if (isRoot) {
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', disk]);
      onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
    }
    const { dataDir, file } = await withStore(false, disk);
    const path = what === 'file' ? file : dataDir;
    if (isRoot) execFileSync('mount', ['-o', 'remount,ro', disk]);
    else chmodSync(path, what === 'file' ? 0o400 : 0o500);
    onTestFinished(() => {
      if (!isRoot) chmodSync(path, 0o700);
    });
    expect(await check(dataDir)).toMatchObject({
      name: 'store',
      status: 'limited',
      meaning: refusals,
      found: expect.stringMatching(/^(EROFS|EACCES): /),
      fix: `Give this user read and write access to ${file} and its folder`,
    });
  },
);
