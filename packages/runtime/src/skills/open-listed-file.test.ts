// Threat model: T72

import { hash, randomBytes } from 'node:crypto';
import { mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openListedFile, readListedFile } from './open-listed-file.ts';

/** A file with these bytes, and its entry in the skill's list of files. */
async function writeListed(bytes: Buffer) {
  const root = await temporaryFolder();
  const place = join(root, 'file');
  await writeFile(place, bytes);
  return { place, root, listed: { path: 'file', bytes: bytes.length, sha256: hash('sha256', bytes) } };
}

const large = 600 * 1024;
const oddLetters = Buffer.from(`a${'ä'.repeat(large / 2)}`);

test.each<[string, Buffer, boolean]>([
  ['nothing', Buffer.alloc(0), true],
  ['a text', Buffer.from('A note: ä.\n'), true],
  ['a text of many pieces with a character across two', oddLetters, true],
  ['a text with a NUL', Buffer.from('a\0b'), false],
  ['half a character', Buffer.from('ä').subarray(0, 1), false],
  ['many random bytes', randomBytes(large), false],
])('returns %s unchanged', async (_, bytes, isText) => {
  const { root, listed } = await writeListed(bytes);
  const file = await openListedFile({ root }, listed);
  expect(file?.isText).toBe(isText);
  const pieces: Buffer[] = [];
  for await (const piece of file?.pieces() ?? []) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  await file?.close();
});

test('returns nothing that the digest does not cover from a file that changes after it was opened', async () => {
  const bytes = randomBytes(large);
  const { place, root, listed } = await writeListed(bytes);
  const file = await openListedFile({ root }, listed);
  const change = await open(place, 'r+');
  await change.write(Buffer.from('other'), 0, 5, 300 * 1024);
  await change.close();
  const pieces: Buffer[] = [];
  await expect(async () => {
    for await (const piece of file?.pieces() ?? []) pieces.push(piece);
  }).rejects.toThrow('file changed after the skill was read; request it again');
  expect(pieces.map((piece) => piece.equals(bytes.subarray(0, 256 * 1024)))).toEqual([true]);
  await file?.close();
});

test('refuses a missing, edited or replaced file as changed and does not follow a link', async () => {
  const text = Buffer.from('A note: ä.\n');
  const { place, root, listed } = await writeListed(text);
  expect(await readListedFile({ root }, listed)).toEqual(text);
  const changed = new SkillError('SKILL_CHANGED', 'file changed after the skill was read; request it again');
  await writeFile(place, 'B note: ä.\n');
  await expect(readListedFile({ root }, listed)).rejects.toEqual(changed);
  await rm(place);
  await expect(readListedFile({ root }, listed)).rejects.toEqual(changed);
  await writeFile(join(root, 'elsewhere'), text);
  await symlink('elsewhere', place);
  expect(await readListedFile({ root }, listed)).toBeUndefined();
  await rm(place);
  await mkdir(place);
  await expect(readListedFile({ root }, listed)).rejects.toEqual(changed);
});
