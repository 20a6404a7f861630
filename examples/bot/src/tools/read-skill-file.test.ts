import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Skill } from '@ambit/core';
import { folderCatalog } from '@ambit/runtime';
import { expect, test } from 'vitest';
import { writeSkills } from '../../../../test/support/skills.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { readSkillFile } from './read-skill-file.ts';

/** Returns the model's answer for a path. */
async function read(skill: Skill, path: string): Promise<unknown> {
  const { execute } = readSkillFile([skill]);
  return execute?.({ name: skill.id, path }, { toolCallId: '1', messages: [], context: {} });
}

/**
 * A skill with a note, a symlink, a binary file and a long file, beside a file that is not part of
 * the skill.
 */
async function skill() {
  const root = await temporaryFolder();
  await writeSkills(root, {
    notes: { 'references/note.md': 'A note: ä.\n', 'long.txt': 'x'.repeat(256 * 1024 + 1) },
  });
  await writeFile(join(root, 'secret.txt'), 'a secret');
  await writeFile(join(root, 'notes/logo.png'), Buffer.from([0x89, 0x50, 0xff]));
  await symlink('../secret.txt', join(root, 'notes/link.txt'));
  const [found] = await folderCatalog([{ path: root, tier: 'local' }]).list();
  if (found === undefined) throw new Error('the skill was written');
  return found;
}

test('a text file of the skill is returned unchanged', async () => {
  expect(await read(await skill(), 'references/note.md')).toBe('A note: ä.\n');
});

test.each([
  ['../secret.txt', /^notes has no file "\.\.\/secret\.txt"; it has SKILL\.md, link\.txt, /],
  ['references/../../secret.txt', /^notes has no file /],
  ['/etc/passwd', /^notes has no file /],
  ['link.txt', /^link\.txt is a symlink or changed since the skill was listed; try again\.$/],
  ['logo.png', /^logo\.png is not text: 3 bytes of binary data\.$/],
  ['long.txt', /^long\.txt has 262145 bytes; at most 262144 are read\.$/],
])('%s is refused with a reason', async (path, reason) => {
  expect(await read(await skill(), path)).toMatch(reason);
});

test('a folder that was replaced by a symlink after the skill was listed is not followed', async () => {
  const listed = await skill();
  await rm(join(listed.root, 'references'), { recursive: true });
  await symlink('..', join(listed.root, 'references'));
  await writeFile(join(listed.root, '../note.md'), 'a secret');
  expect(await read(listed, 'references/note.md')).toMatch(/ is a symlink or changed /);
});
