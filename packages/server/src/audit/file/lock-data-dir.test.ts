// Threat model: T146, T312

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ownAnnouncement } from '@ambit/client/node';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { type DataDirLock, daemonStatus, lockDataDir } from './lock-data-dir.ts';

const address = { pid: 4711, url: 'http://127.0.0.1:7433' };

test('a data directory and its files are created for their owner alone', async () => {
  const dir = join(await temporaryFolder(), 'new', 'data');
  const lock = await locked(dir);
  await lock.announce(address);
  const modes = ['.', ...readdirSync(dir)].map((name) => [
    name,
    (statSync(join(dir, name)).mode & 0o777).toString(8),
  ]);
  expect(modes).toEqual([
    ['.', '700'],
    ['.gitignore', '600'],
    ['daemon.json', '600'],
    ['lock', '600'],
  ]);
});

test('a new data directory has a .gitignore for everything in it, and the one of an existing directory stays', async () => {
  const ignored = (dir: string) => readFileSync(join(dir, '.gitignore'), 'utf8');
  const [fresh, own] = [join(await temporaryFolder(), 'new'), await temporaryFolder()];
  writeFileSync(join(own, '.gitignore'), 'key\n');
  for (const dir of [fresh, own]) await (await locked(dir)).release();
  expect([ignored(fresh), ignored(own)]).toEqual(['*\n', 'key\n']);
});

test('a daemon is found from when it locks the directory until it releases it', async () => {
  const dir = await temporaryFolder();
  expect(await daemonStatus(dir)).toEqual({ running: false });
  const lock = await locked(dir);
  expect(await daemonStatus(dir)).toEqual({ running: true, process: null, address: null });
  await lock.announce(address);
  expect(await daemonStatus(dir)).toEqual({ running: true, process: address, address });
  await lock.release();
  expect(await daemonStatus(dir)).toEqual({ running: false });
  expect(existsSync(join(dir, 'daemon.json'))).toBe(false);
});

test('a pipe instead of the announcement is not waited for', async () => {
  const dir = await temporaryFolder();
  await locked(dir);
  execFileSync('mkfifo', [join(dir, 'daemon.json')]);
  expect(await daemonStatus(dir)).toEqual({ running: true, process: null, address: null });
});

test('checking for a daemon creates nothing, not even the directory', async () => {
  const dir = join(await temporaryFolder(), 'none');
  expect(await daemonStatus(dir)).toEqual({ running: false });
  expect(existsSync(dir)).toBe(false);
});

test("a second daemon is refused with the first one's address, and can start when that one has ended", async () => {
  const dir = await temporaryFolder();
  const first = await locked(dir);
  await expect(lockDataDir(dir)).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: `another Ambit process already uses the data directory ${dir}. Stop it, or name another directory with --data-dir`,
    details: { address: null },
  });
  await first.announce(address);
  await expect(lockDataDir(dir)).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: `a daemon (process 4711, http://127.0.0.1:7433) already uses the data directory ${dir}. Use it, stop it (ambit stop), or name another directory with --data-dir`,
    details: { address },
  });
  expect(await daemonStatus(dir)).toEqual({ running: true, process: address, address });
  await first.release();
  await (await locked(dir)).release();
});

test('the announcement of a killed daemon is ignored, and the next daemon removes it', async () => {
  const dir = await temporaryFolder();
  await (await locked(dir)).release();
  writeFileSync(join(dir, 'daemon.json'), JSON.stringify(address));
  expect(await daemonStatus(dir)).toEqual({ running: false });
  await locked(dir);
  expect(await daemonStatus(dir)).toEqual({ running: true, process: null, address: null });
});

test('a process that has locked the directory of a killed daemon has no announcement yet', async () => {
  const dir = await temporaryFolder();
  await locked(dir);
  const own = { ...(await ownAnnouncement({})), ...address, pid: process.pid };
  writeFileSync(join(dir, 'daemon.json'), JSON.stringify(own));
  expect(await daemonStatus(dir)).toEqual({ running: true, process: own, address: own });
  // The same process id, at another time.
  writeFileSync(join(dir, 'daemon.json'), JSON.stringify({ ...own, started: '1' }));
  expect(await daemonStatus(dir)).toEqual({ running: true, process: null, address: null });
});

test('an unreadable announcement counts as none', async () => {
  const dir = await temporaryFolder();
  const lock = await locked(dir);
  for (const text of ['', '{', '{"pid":"1"}', '[]']) {
    writeFileSync(join(dir, 'daemon.json'), text);
    expect(await daemonStatus(dir)).toEqual({ running: true, process: null, address: null });
  }
  await lock.release();
});

test('an announcement is replaced atomically', async () => {
  const dir = await temporaryFolder();
  const lock = await locked(dir);
  await lock.announce(address);
  chmodSync(join(dir, 'daemon.json'), 0o644);
  await lock.announce({ ...address, url: 'http://127.0.0.1:1' });
  expect(readFileSync(join(dir, 'daemon.json'), 'utf8')).toBe('{"pid":4711,"url":"http://127.0.0.1:1"}\n');
  expect(readdirSync(dir)).toEqual(['daemon.json', 'lock']);
});

test('an announcement overwrites nothing behind a link in place of its draft', async () => {
  const [dir, victim] = [await temporaryFolder(), join(await temporaryFolder(), 'victim')];
  writeFileSync(victim, 'whole');
  const lock = await locked(dir);
  for (const draft of ['new', process.pid]) symlinkSync(victim, join(dir, `daemon.json.${draft}`));
  await expect(lock.announce(address)).rejects.toMatchObject({ code: 'ELOOP' });
  expect(readFileSync(victim, 'utf8')).toBe('whole');
  await lock.announce(address);
  expect(await daemonStatus(dir)).toEqual({ running: true, process: address, address });
});

test('a file instead of a directory is refused with a remedy', async () => {
  const file = join(await temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(lockDataDir(file)).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: expect.stringMatching(/^cannot use the data directory .* \(EEXIST.*set another dataDir$/),
  });
});

async function locked(dir: string): Promise<DataDirLock> {
  const lock = await lockDataDir(dir);
  onTestFinished(() => lock.release());
  return lock;
}
