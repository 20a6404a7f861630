// Threat model: T128

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { isWhole } from '../../../../../test/support/whole.ts';
import { writeFiles } from '../../testing/skill-on-disk.ts';
import { skillMd } from '../../testing/skill-text.ts';
import { asyncDisk } from '../folder/disk.ts';
import { loadSkillFolder } from '../folder/load-skill-folder.ts';
import { folderCatalog } from '../folder-catalog.ts';

async function manySkills(count: number): Promise<string> {
  const root = await temporaryFolder();
  const names = Array.from({ length: count }, (_, at) => `skill-${at}`);
  await writeFiles(root, Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skillMd(name)])));
  await writeFiles(root, { 'bad/SKILL.md': '---\n---\n', 'skill-0/scripts/run.sh': '#!/bin/bash\n' });
  return root;
}

test('reads many skills in threads with the same result as one by one', async () => {
  const count = isWhole ? 1100 : 400;
  const root = await manySkills(count);
  const catalog = folderCatalog([{ path: root, tier: 'verified' }]);
  const list = await catalog.list();
  expect(list).toHaveLength(count);
  for (const skill of list.filter(({ id }) => id.endsWith('0'))) {
    expect(await loadSkillFolder(skill.root, 'verified', asyncDisk)).toMatchObject({ read: { skill } });
  }
  expect(await catalog.broken()).toMatchObject([{ id: 'bad' }]);
  await catalog.close();
});

test('reuses the objects of many unchanged skills and picks up an edit at the next call', async () => {
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

test('gives concurrent callers one answer, also after the catalog was closed', async () => {
  const root = await manySkills(300);
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const [a, b] = await Promise.all([catalog.list(), catalog.list()]);
  expect(a).toBe(b);
  await catalog.close();
  expect(await catalog.list()).toBe(a);
  await catalog.close();
});

/** The number of live threads that this thread started. */
function threads(): number {
  const { workers } = process.report.getReport() as unknown as { workers: unknown[] };
  return workers.length;
}

describe('the YAML of a few skills', () => {
  const sidecar = (entries: number): string =>
    `run:\n  runtime: wasm\n  entry: a.js\n  input:\n    enum: [${'1,'.repeat(entries)}1]\n`;

  test('is parsed in the calling thread if it is short', async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { 'a/SKILL.md': skillMd('a'), 'a/ambit.yaml': sidecar(400) });
    const catalog = folderCatalog([{ path: root, tier: 'untrusted' }]);
    const before = threads();
    expect((await catalog.list()).map(({ id }) => id)).toEqual(['a']);
    expect(threads()).toBe(before);
    await catalog.close();
  });

  test('is parsed in another thread if it is long, also when one skill is read again', async () => {
    const root = await temporaryFolder();
    await writeFiles(root, {
      'a/SKILL.md': skillMd('a'),
      'b/SKILL.md': skillMd('b'),
      'b/ambit.yaml': sidecar(600),
      'c/SKILL.md': skillMd('c'),
    });
    const catalog = folderCatalog([{ path: root, tier: 'untrusted' }]);
    const before = threads();
    const skills = await catalog.list();
    expect(skills.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(await loadSkillFolder(join(root, 'b'), 'untrusted', asyncDisk)).toMatchObject({
      read: { skill: skills[1] },
    });
    expect(threads()).toBe(before + 1);
    await catalog.close();
    expect(threads()).toBe(before);
    await writeFiles(root, { 'c/ambit.yaml': sidecar(601) });
    expect(await catalog.find('c')).toMatchObject({
      sidecar: { run: { input: { enum: Array(602).fill(1) } } },
    });
    expect(threads()).toBe(before + 1);
    await catalog.close();
  });

  test('is parsed in another thread if all of it together is long', async () => {
    const root = await temporaryFolder();
    const names = Array.from({ length: 12 }, (_, at) => `skill-${at + 10}`);
    for (const name of names)
      await writeFiles(root, { [`${name}/SKILL.md`]: skillMd(name), [`${name}/ambit.yaml`]: sidecar(400) });
    const catalog = folderCatalog([{ path: root, tier: 'untrusted' }]);
    const before = threads();
    expect((await catalog.list()).map(({ id }) => id)).toEqual(names);
    expect(threads()).toBe(before + 1);
    await catalog.close();
  });

  test('is refused for its size in another thread too', async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { 'a/SKILL.md': skillMd('a'), 'a/ambit.yaml': sidecar(2000) });
    const catalog = folderCatalog([{ path: root, tier: 'untrusted' }]);
    const before = threads();
    expect(await catalog.broken()).toEqual([
      {
        id: 'a',
        root: join(root, 'a'),
        problem:
          'ambit.yaml has more than 5000 YAML tokens (names, values, brackets, commas, line breaks). Shorten it, or move parts of it into files of the skill',
      },
    ]);
    expect(threads()).toBe(before + 1);
    await catalog.close();
  });
});
