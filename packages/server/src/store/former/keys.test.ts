import { chmod, chown, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyFileError } from '@ambit/client/node';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { KeyRecord } from '../../auth/key-record.ts';
import { keysFile } from '../keys/keys-file.ts';
import { type KeyDatabase, storedKeys } from '../keys/stored-keys.ts';
import { importFormerKeys, setAsideFormerKeys } from './keys.ts';

const record: KeyRecord = {
  name: 'bot',
  scopes: ['prompt'],
  sha256: 'a'.repeat(64),
  createdAt: '2026-03-01T00:00:00Z',
};

test('imports every key in its order, with revoked ones, and moves the file to a copy', async () => {
  const { file, database } = await formerFile();
  const keys: KeyRecord[] = [
    { ...record, name: 'z', sha256: 'b'.repeat(64), skills: ['a'], ratePerMinute: 3 },
    { ...record, revokedAt: '2026-03-02T00:00:00Z' },
  ];
  // As Ambit 0.1.0 wrote it.
  const text = `${JSON.stringify({ keys }, null, 2)}\n`;
  await writeFile(file, text, { mode: 0o600 });
  expect(await importFormerKeys(file, database)).toBe(true);
  await setAsideFormerKeys(file);
  expect(await storedKeys(database, 'unusable').list()).toEqual(keys);
  expect((await readdir(dirname(file))).sort()).toEqual(['former-0.1.0', 'keys.db']);
  const copy = join(dirname(file), 'former-0.1.0');
  expect(await readFile(join(copy, 'keys.json'), 'utf8')).toBe(text);
  expect((await stat(copy)).mode & 0o777).toBe(0o700);
  expect(await importFormerKeys(file, database)).toBe(false);
  await setAsideFormerKeys(file);
});

test('an import that was interrupted before the file was moved is repeated without effect', async () => {
  const { file, database } = await formerFile();
  await writeFile(file, JSON.stringify({ keys: [record] }), { mode: 0o600 });
  const keys = storedKeys(database, 'unusable');
  await importFormerKeys(file, database);
  await keys.revoke('bot', '2026-03-03T00:00:00Z');
  await importFormerKeys(file, database);
  expect(await keys.list()).toEqual([{ ...record, revokedAt: '2026-03-03T00:00:00Z' }]);
});

test('a second former file does not overwrite the copy of the first', async () => {
  const { file } = await formerFile();
  for (const content of ['one', 'two']) {
    await writeFile(file, content);
    await setAsideFormerKeys(file);
  }
  const copies = join(dirname(file), 'former-0.1.0');
  const contents = (await readdir(copies)).map((name) => readFile(join(copies, name), 'utf8'));
  expect((await Promise.all(contents)).sort()).toEqual(['one', 'two']);
});

describe('an unusable keys.json', () => {
  const cases: [claim: string, content: string, says: RegExp][] = [
    ['truncated', '{"keys": [', /fix it, or remove it.*: it is not JSON/],
    [
      'with an unknown key',
      JSON.stringify({ keys: [{ ...record, scope: 'x' }] }),
      /unknown field "scope".*scopes/,
    ],
    [
      'with an unknown scope',
      JSON.stringify({ keys: [{ ...record, scopes: ['all'] }] }),
      /keys\.0\.scopes\.0/,
    ],
    [
      'with two keys of one name',
      JSON.stringify({ keys: [record, { ...record, sha256: 'b'.repeat(64) }] }),
      /already/,
    ],
  ];

  test.each(cases)('is refused with a reason and stays where it is if it is %s', async (_, content, says) => {
    const { file, database } = await formerFile();
    await writeFile(file, content, { mode: 0o600 });
    await expect(importFormerKeys(file, database)).rejects.toThrow(KeyFileError);
    await expect(importFormerKeys(file, database)).rejects.toThrow(says);
    await writeFile(file, JSON.stringify({ keys: [record] }));
    expect(await importFormerKeys(file, database)).toBe(true);
  });

  test('is refused if others can read it, and accepted with mode 600', async () => {
    const { file, database } = await formerFile();
    await writeFile(file, JSON.stringify({ keys: [record] }));
    await chmod(file, 0o640);
    await expect(importFormerKeys(file, database)).rejects.toThrow(
      `other users can access the keys' file ${file}; run "chmod 600 ${file}"`,
    );
    await chmod(file, 0o600);
    expect(await importFormerKeys(file, database)).toBe(true);
  });

  test('is refused if it is a link', async () => {
    const [{ file, database }, { file: other }] = [await formerFile(), await formerFile()];
    await writeFile(other, JSON.stringify({ keys: [record] }), { mode: 0o600 });
    await symlink(other, file);
    await expect(importFormerKeys(file, database)).rejects.toThrow(/is a symbolic link/);
    expect(await importFormerKeys(other, database)).toBe(true);
  });
});

test.runIf(process.geteuid?.() === 0)(
  'the folder of copies that root makes belongs to the owner of the data directory (needs root)',
  async () => {
    const { file } = await formerFile();
    await chown(dirname(file), 1234, 1235);
    await writeFile(file, '');
    await setAsideFormerKeys(file);
    const { uid, gid } = await stat(join(dirname(file), 'former-0.1.0'));
    expect([uid, gid]).toEqual([1234, 1235]);
  },
);

async function formerFile(): Promise<{ file: string; database: KeyDatabase }> {
  const folder = await temporaryFolder();
  return { file: join(folder, 'keys.json'), database: keysFile(join(folder, 'keys.db')) };
}
