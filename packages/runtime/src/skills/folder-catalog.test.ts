// Threat model: T278, T279

import { rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { folderCatalog } from './folder-catalog.ts';

async function rootWith(files: Record<string, string>): Promise<string> {
  const root = await temporaryFolder();
  await writeFiles(root, files);
  return root;
}

test('lists every folder with a SKILL.md, sorted by id, with the tier of its root', async () => {
  const root = await rootWith({
    'b/SKILL.md': skillMd('b'),
    'a/SKILL.md': skillMd('a'),
    'notes/README.md': 'x',
    'file.txt': 'x',
  });
  const skills = await folderCatalog([{ path: root, tier: 'verified' }]).list();
  expect(skills.map(({ id, tier, body, root: place }) => ({ id, tier, body, place }))).toEqual([
    { id: 'a', tier: 'verified', body: 'body of a', place: join(root, 'a') },
    { id: 'b', tier: 'verified', body: 'body of b', place: join(root, 'b') },
  ]);
});

test('accepts a root that is itself a skill, and treats a missing root as empty', async () => {
  const root = await rootWith({ 'SKILL.md': skillMd('solo') });
  const catalog = folderCatalog([
    { path: root, tier: 'local' },
    { path: join(root, 'none'), tier: 'local' },
  ]);
  expect((await catalog.list()).map(({ id }) => id)).toEqual(['solo']);
});

test('covers every file with the digest: equal folders have equal digests, and any change alters it', async () => {
  const files = { 'a/SKILL.md': skillMd('a'), 'a/scripts/run.py': 'print(1)' };
  const digest = async (root: string): Promise<string | undefined> =>
    (await folderCatalog([{ path: root, tier: 'local' }]).list())[0]?.digest;
  const first = await digest(await rootWith(files));
  expect(await digest(await rootWith(files))).toBe(first);
  expect(await digest(await rootWith({ ...files, 'a/scripts/run.py': 'print(2)' }))).not.toBe(first);
  expect(await digest(await rootWith({ ...files, 'a/more': '' }))).not.toBe(first);
});

describe('an unusable folder', () => {
  test.each([
    [
      'if its sidecar is broken',
      { 'bad/SKILL.md': skillMd('bad'), 'bad/ambit.yaml': 'runn: {}' },
      'ambit.yaml: unknown field "runn" (did you mean run?)',
    ],
    [
      'if it has no usable name',
      { '!!/SKILL.md': skillMd('"??"') },
      'the name "??" and the folder\'s name contain no letter or digit; rename one of them',
    ],
  ])('reports a folder %s and lists the others', async (_, files, problem) => {
    const root = await rootWith({ 'good/SKILL.md': skillMd('good'), ...files });
    const catalog = folderCatalog([{ path: root, tier: 'local' }]);
    expect((await catalog.list()).map(({ id }) => id)).toEqual(['good']);
    const id = Object.keys(files)[0]?.split('/')[0] as string;
    expect(await catalog.broken()).toEqual([{ id, root: join(root, id), problem }]);
    expect(await catalog.find(id)).toEqual({ id, root: join(root, id), problem });
  });

  test('truncates a long list of mistakes and says where to see all of them', async () => {
    const keys = Array.from({ length: 500 }, (_, at) => `k${at}: 1`);
    const root = await rootWith({ 'bad/SKILL.md': skillMd('bad'), 'bad/ambit.yaml': keys.join('\n') });
    const [broken] = await folderCatalog([{ path: root, tier: 'local' }]).broken();
    expect(broken?.problem).toMatch(
      /^ambit\.yaml: unknown field "k0" \(.{3900,4000}…; "ambit skills validate" shows the full message$/,
    );
  });
});

test('digests links inside a skill as links and never follows them', async () => {
  const root = await rootWith({ 'a/SKILL.md': skillMd('a') });
  await symlink('/etc/passwd', join(root, 'a/link'));
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const before = await catalog.find('a');
  expect(before).toMatchObject({ files: [{ path: 'SKILL.md' }, { path: 'link', bytes: 11 }] });
  await symlink('/etc/shadow', join(root, 'other'));
  await rename(join(root, 'other'), join(root, 'a/link'));
  expect((await catalog.find('a')) !== before).toBe(true);
});

test('detects an edit that restores size and modification time', async () => {
  const root = await rootWith({ 'a/SKILL.md': skillMd('a'), 'a/data': '1111' });
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const { utimes, stat } = await import('node:fs/promises');
  const before = await catalog.find('a');
  const { atime, mtime } = await stat(join(root, 'a/data'));
  await writeFile(join(root, 'a/data'), '2222');
  await utimes(join(root, 'a/data'), atime, mtime);
  expect((await catalog.find('a')) !== before).toBe(true);
});
