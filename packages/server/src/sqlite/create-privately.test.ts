// Threat model: T311

import { execFile } from 'node:child_process';
import { chownSync, lchownSync, linkSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { lockDataDir } from '../audit/file/lock-data-dir.ts';
import { createPrivately } from './create-privately.ts';

const isRoot = process.geteuid?.() === 0;
const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);

test('creates a file with mode 600, and closes an existing file to others', async () => {
  const [made, found] = [
    join(await temporaryFolder(), 'made'),
    fileIn(await temporaryFolder(), 'found', 0o644),
  ];
  createPrivately(made);
  createPrivately(found);
  expect([mode(made), mode(found)]).toEqual(['600', '600']);
});

test('follows a link of the same user', async () => {
  const folder = await temporaryFolder();
  const elsewhere = fileIn(folder, 'elsewhere', 0o644);
  symlinkSync('elsewhere', join(folder, 'link'));
  createPrivately(join(folder, 'link'));
  expect([mode(elsewhere), readlinkSync(join(folder, 'link'))]).toEqual(['600', 'elsewhere']);
});

test.runIf(isRoot)(
  'changes no file behind a link that another user put into their data directory',
  async () => {
    const victim = fileIn(await temporaryFolder(), 'victim', 0o644);
    const dir = await temporaryFolder();
    chownSync(dir, 65534, 65534);
    symlinkSync(victim, join(dir, 'lock'));
    lchownSync(join(dir, 'lock'), 65534, 65534);
    await expect(lockDataDir(dir)).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining(`(${dir}/lock is a symbolic link of another user; remove it)`),
    });
    expect(mode(victim)).toBe('644');
  },
);

test('changes no file that has another name, unless its mode is already right', async () => {
  const folder = await temporaryFolder();
  const [open, closed] = [fileIn(folder, 'open', 0o644), fileIn(folder, 'closed', 0o600)];
  linkSync(open, join(folder, 'lock'));
  linkSync(closed, join(folder, 'log'));
  expect(() => createPrivately(join(folder, 'lock'))).toThrow(
    `other users can access ${folder}/lock, which also has another name (hard link); replace it with a file of its own`,
  );
  createPrivately(join(folder, 'log'));
  expect([mode(open), mode(closed)]).toEqual(['644', '600']);
});

test("checking a file does not drop this process's lock on it", async () => {
  const dir = await temporaryFolder();
  const lock = await lockDataDir(dir);
  createPrivately(join(dir, 'lock'));
  const script = `
    import { daemonStatus } from ${JSON.stringify(join(import.meta.dirname, '../audit/file/lock-data-dir.ts'))};
    console.log(JSON.stringify(await daemonStatus(${JSON.stringify(dir)})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(JSON.parse(stdout)).toEqual({ running: true, process: null, address: null });
  await lock.release();
});

function fileIn(folder: string, name: string, fileMode: number): string {
  const file = join(folder, name);
  writeFileSync(file, '', { mode: fileMode });
  return file;
}
