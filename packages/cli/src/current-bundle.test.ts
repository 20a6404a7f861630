// Threat model: T361

import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { currentBundle } from './current-bundle.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = 'packages/cli/src/main.ts';

test('a bundle is used when all that it was made of is as it was then', async () => {
  const folder = await recorded({});

  expect(currentBundle(folder)).toBe(pathToFileURL(join(folder, 'of-these/main.mjs')).href);
});

test.each([
  ['a file that has another size', async () => ({ files: [await fileNow({ bytes: 1 })] })],
  ['a file that was written since', async () => ({ files: [await fileNow({ ms: -1 })] })],
  ['a file that is gone', async () => ({ files: [await fileNow({}), ['packages/gone.ts', 1, 1]] })],
  ['another place', async () => ({ root: '/elsewhere/' })],
])('a bundle of %s is not', async (_, other) => {
  expect(currentBundle(await recorded(await other()))).toBeUndefined();
});

test('without a record that can be read the sources are the program', async () => {
  const folder = await temporaryFolder();
  expect(currentBundle(folder)).toBeUndefined();

  await writeFile(join(folder, 'current.json'), '{"root":');
  expect(currentBundle(folder)).toBeUndefined();
});

async function recorded(other: object): Promise<string> {
  const folder = await temporaryFolder();
  const record = { root, folder: 'of-these', files: [await fileNow({})], ...other };
  await writeFile(join(folder, 'current.json'), JSON.stringify(record));
  return folder;
}

async function fileNow({ bytes = 0, ms = 0 }): Promise<[string, number, number]> {
  const { size, mtimeMs } = await stat(join(root, path));
  return [path, size + bytes, mtimeMs + ms];
}
