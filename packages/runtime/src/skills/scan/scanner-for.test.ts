import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../testing/skill-on-disk.ts';
import { skillMd } from '../../testing/skill-text.ts';
import { patientDisk } from '../disk.ts';
import { folderCatalog } from '../folder-catalog.ts';
import { loadSkillFolder } from '../load-skill-folder.ts';

async function manySkills(count: number): Promise<string> {
  const root = await temporaryFolder();
  const names = Array.from({ length: count }, (_, at) => `skill-${at}`);
  await writeFiles(root, Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skillMd(name)])));
  await writeFiles(root, { 'bad/SKILL.md': 'nothing', 'skill-0/scripts/run.sh': '#!/bin/bash\n' });
  return root;
}

test('many skills, read in threads, are what they are read one by one', async () => {
  const root = await manySkills(1100);
  const catalog = folderCatalog([{ path: root, tier: 'verified' }]);
  const list = await catalog.list();
  expect(list).toHaveLength(1100);
  for (const skill of list.filter(({ id }) => id.endsWith('0'))) {
    expect(await loadSkillFolder(skill.root, 'verified', patientDisk)).toMatchObject({ read: { skill } });
  }
  expect(await catalog.broken()).toMatchObject([{ id: 'bad' }]);
  await catalog.close();
});

test('of many skills the objects stay while nothing changes, and an edit shows at the next call', async () => {
  const root = await manySkills(300);
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const first = await catalog.list();
  expect(await catalog.list()).toBe(first);
  await writeFiles(root, { 'skill-7/SKILL.md': skillMd('skill-7', 'edited') });
  const second = await catalog.list();
  expect(second).not.toBe(first);
  expect(second.filter((skill) => !first.includes(skill))).toMatchObject([
    { id: 'skill-7', manifest: { description: 'edited' } },
  ]);
  await rm(join(root, 'skill-7'), { recursive: true });
  expect(await catalog.find('skill-7')).toBeUndefined();
  expect(await catalog.list()).toHaveLength(299);
  await catalog.close();
});

test('callers at one moment get one answer, also those who come after it was closed', async () => {
  const root = await manySkills(300);
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const [a, b] = await Promise.all([catalog.list(), catalog.list()]);
  expect(a).toBe(b);
  await catalog.close();
  expect(await catalog.list()).toBe(a);
  await catalog.close();
});
