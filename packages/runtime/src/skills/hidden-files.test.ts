// Threat model: T73

import { execFileSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { listFolder, signatureOf } from './folder/list-folder.ts';
import { readSkillFolder } from './folder/read-skill-folder.ts';
import { folderCatalog } from './folder-catalog.ts';

const token = 'https://user:token@example.com';

async function skillWith(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = join(await temporaryFolder(), 'one');
  await writeFiles(root, { 'SKILL.md': skillMd('one'), 'references/a.md': 'a', ...files });
  return root;
}

test('ignores changes in a hidden folder: the signature stays and no skill is read again', async () => {
  const root = await skillWith({ '.git/objects/aa/bb': '1', '.git/config': token });
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const [skill, signature] = [await catalog.find('one'), signatureOf(await listFolder(root))];
  await writeFiles(root, { '.git/objects/pack/cc': '2', '.git/config': `${token}!` });
  await rm(join(root, '.git/objects/aa'), { recursive: true });
  expect(signatureOf(await listFolder(root))).toBe(signature);
  expect(await catalog.find('one')).toBe(skill);
  expect(await catalog.list()).toEqual([skill]);
});

test('does not search a hidden folder, and refuses the same content in a visible one', async () => {
  const root = await skillWith();
  await mkdir(join(root, '.run'));
  execFileSync('mkfifo', [join(root, '.run/pipe'), join(root, '.pipe')]);
  expect((await readSkillFolder(root, 'local')).skill.files).toHaveLength(2);
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await expect(readSkillFolder(root, 'local')).rejects.toMatchObject({ code: 'SKILL_INVALID' });
});

test.each(['.run.sh', 'scripts/.run.sh', '.bin/run.sh', './.bin/run.sh'])(
  'refuses an entry at %s when the skill is read',
  async (entry) => {
    const root = await skillWith({
      'ambit.yaml': `run: { runtime: process, entry: ${entry}, capabilities: { exec: [sh] } }\n`,
      [entry]: '#!/bin/sh\n',
    });
    await expect(readSkillFolder(root, 'local')).rejects.toMatchObject({
      code: 'SKILL_INVALID',
      message:
        'ambit.yaml: run.entry: names that begin with a dot are hidden, and hidden files are not part of a skill; rename the file or its folder',
    });
  },
);

test('accepts an entry with a dot elsewhere in its path', async () => {
  const root = await skillWith({
    'ambit.yaml': 'run: { runtime: process, entry: ./bin.d/run.v2.sh, capabilities: { exec: [sh] } }\n',
    'bin.d/run.v2.sh': '#!/bin/sh\n',
  });
  expect((await readSkillFolder(root, 'local')).skill.sidecar.run?.entry).toBe('bin.d/run.v2.sh');
});
