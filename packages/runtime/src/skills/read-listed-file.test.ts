// Threat model: T72

import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/skill-on-disk.ts';
import { readListedFile } from './open-listed-file.ts';

const text = Buffer.from('A note: ä.\n');
const listed = {
  path: 'references/note.md',
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
};

async function folder(): Promise<string> {
  const root = await temporaryFolder();
  await mkdir(join(root, 'references'));
  return root;
}

test('reads a file that matches the list', async () => {
  const root = await folder();
  await writeFile(join(root, listed.path), text);
  expect(await readListedFile({ root }, listed)).toEqual(text);
});

test('refuses a missing, edited or replaced file as changed and does not follow a link', async () => {
  const root = await folder();
  const file = join(root, listed.path);
  const changed = new SkillError(
    'SKILL_CHANGED',
    'references/note.md changed after the skill was read; request it again',
  );
  await expect(readListedFile({ root }, listed)).rejects.toEqual(changed);
  await writeFile(file, 'B note: ä.\n');
  await expect(readListedFile({ root }, listed)).rejects.toEqual(changed);
  await rm(file);
  await writeFile(join(root, 'elsewhere'), text);
  await symlink('../elsewhere', file);
  expect(await readListedFile({ root }, listed)).toBeUndefined();
  await rm(file);
  await mkdir(file);
  await expect(readListedFile({ root }, listed)).rejects.toEqual(changed);
});
