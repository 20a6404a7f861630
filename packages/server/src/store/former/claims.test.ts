// Threat model: T277, T294

import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { answered, keyedCall, keyedCalls, keyUse } from '../testing/keyed-calls.ts';

const { owner, name, fingerprint } = keyedCall(keyUse, 'e0');
const file = `${owner}-${name}.json`;
const ending = { kind: 'result', status: 200, headers: {}, outcome: 'succeeded', ran: true };
const copyOf = (folder: string) => join(dirname(folder), 'former-0.1.0/idempotency');

/** A data directory with files of Ambit 0.1.0, and calls after an upgrade. */
async function upgraded(files: Readonly<Record<string, string>>) {
  const dataDir = await temporaryFolder();
  const folder = join(dataDir, 'idempotency');
  await mkdir(folder);
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return { folder, start: () => started(dataDir) };
}

function started(dataDir: string) {
  const store = openSqliteStore(join(dataDir, 'store.db'));
  onTestFinished(() => store.close());
  return { store, ...keyedCalls(store, { former: join(dataDir, 'idempotency') }) };
}

/** A claim of the first call, at the time of `keyedCalls`. */
function claimFile(rest: object, body = ''): string {
  const claimedAt = Date.UTC(2026, 0, 1);
  return `${JSON.stringify({ executionId: 'e0', fingerprint, claimedAt, ...rest })}${body}`;
}

test.each([
  ['the version with the body in its JSON', claimFile({ version: 1, ending: { ...ending, text: '"ä"' } })],
  ['the version after it', claimFile({ version: 2, ending: { ...ending, bodyBytes: 4 } }, '\n"ä"')],
])('returns a response of %s, and sets its folder aside for later starts', async (_, text) => {
  const { folder, start } = await upgraded({ [file]: text, [`${file}.new`]: '{' });
  const first = start();
  expect(await answered(first.claim('e1'))).toEqual(['answered', '"ä"']);
  await first.store.close();
  const second = start();
  expect(await answered(second.claim('e2'))).toEqual(['answered', '"ä"']);
  expect([first.unreadable, second.unreadable, first.runs(), second.runs()]).toEqual([[], [], 0, 0]);
  expect(await readdir(dirname(folder))).toEqual([
    'former-0.1.0',
    'store.db',
    'store.db-shm',
    'store.db-wal',
  ]);
  expect(await readdir(copyOf(folder))).toEqual([file, `${file}.new`]);
  expect(await readFile(join(copyOf(folder), file), 'utf8')).toBe(text);
  expect((await stat(dirname(copyOf(folder)))).mode & 0o777).toBe(0o700);
});

test('does not run an interrupted call again', async () => {
  const { start } = await upgraded({ [file]: claimFile({ version: 2, ending: null }) });
  const { claim, runs } = start();
  await expect(claim('e1')).rejects.toMatchObject({ code: 'IDEMPOTENCY_INTERRUPTED', executionId: 'e0' });
  expect(runs()).toBe(0);
});

test.each([
  '',
  '{',
  '{"version":2}',
  'null',
  claimFile({ version: 2, ending: { ...ending, bodyBytes: 4 } }, '\n"ä'),
])('reports a file with the content %j, and runs nothing with its key', async (text) => {
  const { folder, start } = await upgraded({ [file]: text });
  const { claim, runs, unreadable } = start();
  await expect(claim('e1')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/^the response stored for this key is damaged\. Nothing has run\./),
  });
  expect([runs(), unreadable]).toEqual([0, [join(folder, file)]]);
  expect(await readFile(join(copyOf(folder), file), 'utf8')).toBe(text);
  expect(await answered(claim('e2', { key: 'k2' }))).toEqual(['new', '"e2"']);
});

test('reads neither a pipe nor a link to nothing in place of a file, and runs nothing with its key', async () => {
  const { folder, start } = await upgraded({});
  const other = keyedCall({ ...keyUse, key: 'k2' }, '');
  execFileSync('mkfifo', [join(folder, file)]);
  await symlink('nothing', join(folder, `${other.owner}-${other.name}.json`));
  const { claim, runs, unreadable } = start();
  await expect(claim('e1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await expect(claim('e2', { key: 'k2' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect([runs(), unreadable.length]).toEqual([0, 2]);
});

test('imports any number of files', async () => {
  const keys = Array.from({ length: 350 }, (_, index) => ({ ...keyUse, key: `k${index}` }));
  const names = keys.map((use) => keyedCall(use, '')).map((call) => `${call.owner}-${call.name}.json`);
  const text = claimFile({ version: 2, ending: { ...ending, bodyBytes: 4 } }, '\n"ä"');
  const { start } = await upgraded(Object.fromEntries(names.map((one) => [one, text])));
  const { claim, store } = start();
  for (const key of keys.slice(-3)) expect(await answered(claim('e1', key))).toEqual(['answered', '"ä"']);
  expect(await store.run('sumClaims')).toEqual([{ owner, claims: 350, bytes: 1400 }]);
});

test('imports what a crash left, and keeps what was claimed since', async () => {
  const { folder, start } = await upgraded({ [file]: claimFile({ version: 2, ending: null }) });
  const first = start();
  await first.store.run('claim', { ...keyedCall(keyUse, 'e1'), claimedAt: Date.UTC(2026, 0, 1) }, 0);
  const { claim } = start();
  await expect(claim('e2')).rejects.toMatchObject({ code: 'IDEMPOTENCY_INTERRUPTED', executionId: 'e1' });
  expect(await readdir(copyOf(folder))).toEqual([file]);
});

test('sets a second folder aside beside the first, and removes both when their responses have expired', async () => {
  const claim = claimFile({ version: 2, ending: null });
  const { folder, start } = await upgraded({ [file]: claim });
  const written = async (path: string, ms: number) => utimes(path, ms / 1000, ms / 1000);
  await written(folder, Date.UTC(2026, 0, 1));
  const first = start();
  await first.sweep();
  await mkdir(folder);
  await writeFile(join(folder, file), claim);
  await written(folder, Date.UTC(2026, 0, 2));
  const { sweep, pass } = start();
  await sweep();
  const copies = () => readdir(dirname(copyOf(folder)));
  expect(await copies()).toEqual(['idempotency', expect.stringMatching(/^idempotency-\d+$/)]);
  pass(1001);
  await sweep();
  expect(await copies()).toEqual([expect.stringMatching(/^idempotency-\d+$/)]);
  pass(24 * 3_600_000);
  await sweep();
  expect(await copies()).toEqual([]);
});

test('refuses keys while the folder cannot be read, and imports it once it can', async () => {
  const { folder, start } = await upgraded({});
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file in place of the folder');
  const { claim, runs } = start();
  await expect(claim('e1')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/idempotency cannot be used: .*ENOTDIR.*\. Nothing has run\./),
  });
  expect(runs()).toBe(0);
  await rm(folder);
  expect(await answered(claim('e2'))).toEqual(['new', '"e2"']);
});

test('the database contains neither key nor caller', async () => {
  const { folder, start } = await upgraded({});
  const { claim, store } = start();
  await answered(claim('e1', { key: 'very-secret-key' }));
  await store.close();
  const content = await readFile(join(dirname(folder), 'store.db'), 'latin1');
  expect(content).toContain(keyedCall({ ...keyUse, key: 'very-secret-key' }, '').name);
  expect(content).not.toMatch(/very-secret-key|\bada\b/);
});
