// Threat model: T250

import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyFileError, readKey } from '@ambit/client/node';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openKey } from './open-key.ts';

test('the first start creates a key that only its owner can read; later starts use it', async () => {
  const file = await keyFile();
  const first = await openKey({ file });
  expect(first).toEqual({ key: expect.stringMatching(/^ambit_[A-Za-z0-9_-]{43}$/), created: true });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toBe(`${first.key}\n`);
  expect(await openKey({ file })).toEqual({ key: first.key, created: false });
});

test('a client of a daemon reads its key and creates none', async () => {
  const file = await keyFile();
  await expect(readKey({ file })).rejects.toEqual(
    new KeyFileError(
      `the key file ${file} does not exist. Name a file with a key of this daemon, or ask its operator for a key`,
    ),
  );
  const { key } = await openKey({ file });
  expect(await readKey({ file })).toBe(key);
});

test('keys are unique', async () => {
  const [one, other] = [await openKey({ file: await keyFile() }), await openKey({ file: await keyFile() })];
  expect(one.key).not.toBe(other.key);
});

test("whitespace around an operator's own key is ignored", async () => {
  const file = await keyFile(`  ${'k'.repeat(32)}\r\n`);
  expect(await openKey({ file })).toEqual({ key: 'k'.repeat(32), created: false });
});

test.each([0o640, 0o604, 0o620, 0o601])(
  'a key file with mode %o is refused, and accepted with 600',
  async (mode) => {
    const file = await keyFile('k'.repeat(32));
    await chmod(file, mode);
    await expect(openKey({ file })).rejects.toEqual(
      new KeyFileError(
        `others can read or write the key file ${file}: run "chmod 600 ${file}", or remove it to get a new key`,
      ),
    );
    await chmod(file, 0o600);
    expect(await openKey({ file })).toEqual({ key: 'k'.repeat(32), created: false });
  },
);

test('a symbolic link is refused, even to a valid key', async () => {
  const [target, file] = [await keyFile('k'.repeat(32)), await keyFile()];
  await symlink(target, file);
  await expect(openKey({ file })).rejects.toEqual(
    new KeyFileError(
      `the key file ${file} is a symbolic link: put the key itself there, or remove it to get a new key`,
    ),
  );
});

test('a dangling link is refused, and no key is created at its target', async () => {
  const [target, file] = [await keyFile(), await keyFile()];
  await symlink(target, file);
  await expect(openKey({ file })).rejects.toThrow(KeyFileError);
  await expect(stat(target)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.each([
  ['nothing', ''],
  ['a key that is too short', 'k'.repeat(31)],
  ['two lines', `${'k'.repeat(32)}\n${'k'.repeat(32)}`],
  ['characters outside ASCII', 'é'.repeat(32)],
  ['too many bytes', 'k'.repeat(1025)],
])('a file that holds %s is refused', async (_, content) => {
  const file = await keyFile(content);
  await expect(openKey({ file })).rejects.toEqual(
    new KeyFileError(
      `the key file ${file} does not contain a key. Write at least 32 printable characters on one line, or remove it to get a new key`,
    ),
  );
});

test('a missing folder is an error that names the file', async () => {
  const file = join(await keyFile(), 'key');
  await expect(openKey({ file })).rejects.toThrow(`cannot create the key file ${file}: ENOENT`);
});

async function keyFile(content?: string): Promise<string> {
  const folder = await temporaryFolder();
  const file = join(folder, 'key');
  if (content !== undefined) await writeFile(file, content, { mode: 0o600 });
  return file;
}
