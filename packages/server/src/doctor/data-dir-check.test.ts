import { execFileSync } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { dataDirCheck } from './data-dir-check.ts';

/** The result of the check for a user without root's exemption from file permissions. */
function checked(dataDir: string): unknown {
  const file = new URL('data-dir-check.ts', import.meta.url).href;
  const source = `
    const { dataDirCheck } = await import(${JSON.stringify(file)});
    console.log(JSON.stringify(dataDirCheck(${JSON.stringify(dataDir)})));`;
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', source], { cwd: '/', ...nobody }).toString(),
  );
}

const ok = (found: string, meaning: string) => ({ name: 'data directory', status: 'ok', found, meaning });
const missing = (found: string) => ({
  name: 'data directory',
  status: 'missing',
  found,
  meaning: 'calls are refused, because the audit log cannot be written',
  fix: `Make ${found} writable for this user, or name another one with --data-dir`,
});

test('checks whether the folder, or the nearest existing one above it, is writable', async () => {
  const folder = await temporaryFolder({ 'open/x': '' });
  await chmod(folder, 0o755);
  await chmod(join(folder, 'open'), 0o777);
  await mkdir(join(folder, 'closed'), { mode: 0o555 });

  const open = join(folder, 'open');
  expect(checked(open)).toEqual({
    name: 'data directory',
    status: 'limited',
    found: `${open}; other users can access the folder, x`,
    meaning: 'other users of this machine can read or write the key and the audit log',
    fix: `chmod -R go= ${open}`,
  });
  expect(checked(join(open, 'a/b'))).toEqual(ok(join(open, 'a/b'), 'the first start creates it'));
  for (const closed of ['closed', 'closed/a/b', 'open/x', 'open/x/a'].map((path) => join(folder, path))) {
    expect(checked(closed)).toEqual(missing(closed));
  }
});

test('accepts a folder that is closed to other users, with any modes inside', async () => {
  const folder = await temporaryFolder({ 'data/x': '' });
  const data = join(folder, 'data');
  await chmod(data, 0o700);
  expect(dataDirCheck(data)).toEqual(ok(data, 'it contains the key and the audit log'));
});
