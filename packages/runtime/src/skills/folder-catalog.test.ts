import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { folderCatalog } from './folder-catalog.ts';

async function rootWith(files: Record<string, string>): Promise<string> {
  const root = await temporaryFolder();
  await writeFiles(root, files);
  return root;
}

test('a catalog holds every folder with a SKILL.md, in order of id, with the tier of its root', async () => {
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

test('a root may be a skill itself, and a root that is not there is empty', async () => {
  const root = await rootWith({ 'SKILL.md': skillMd('solo') });
  const catalog = folderCatalog([
    { path: root, tier: 'local' },
    { path: join(root, 'none'), tier: 'local' },
  ]);
  expect((await catalog.list()).map(({ id }) => id)).toEqual(['solo']);
});

test('a digest covers every file: equal folders have equal ones, and any change shows', async () => {
  const files = { 'a/SKILL.md': skillMd('a'), 'a/scripts/run.py': 'print(1)' };
  const digest = async (root: string): Promise<string | undefined> =>
    (await folderCatalog([{ path: root, tier: 'local' }]).list())[0]?.digest;
  const first = await digest(await rootWith(files));
  expect(await digest(await rootWith(files))).toBe(first);
  expect(await digest(await rootWith({ ...files, 'a/scripts/run.py': 'print(2)' }))).not.toBe(first);
  expect(await digest(await rootWith({ ...files, 'a/more': '' }))).not.toBe(first);
});

test('an edit shows at the next call, and so do a new folder and one that is gone', async () => {
  const root = await rootWith({ 'a/SKILL.md': skillMd('a', 'first') });
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  expect(await catalog.find('a')).toMatchObject({ manifest: { description: 'first' } });
  await writeFiles(root, { 'a/SKILL.md': skillMd('a', 'other'), 'b/SKILL.md': skillMd('b') });
  expect(await catalog.find('a')).toMatchObject({ manifest: { description: 'other' } });
  expect(await catalog.find('b')).toMatchObject({ id: 'b' });
  await rm(join(root, 'b'), { recursive: true });
  expect(await catalog.find('b')).toBeUndefined();
});

test('nothing is read again while nothing changes', async () => {
  const root = await rootWith({ 'a/SKILL.md': skillMd('a') });
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const first = await catalog.find('a');
  expect(await catalog.find('a')).toBe(first);
  expect((await catalog.list())[0]).toBe(first);
});

describe('a folder that cannot be used is reported and never fatal', () => {
  test.each([
    [
      'without a description',
      { 'bad/SKILL.md': '---\nname: bad\n---\n' },
      'SKILL.md has no description: add "description: what it does and when to use it" to its frontmatter',
    ],
    [
      'with a broken sidecar',
      { 'bad/SKILL.md': skillMd('bad'), 'bad/ambit.yaml': 'runn: {}' },
      'ambit.yaml: unknown key "runn" at the top; did you mean run?',
    ],
    [
      'with no usable name',
      { '!!/SKILL.md': skillMd('"??"') },
      'neither its name "??" nor its folder\'s name has a letter or a digit; rename one of them',
    ],
  ])('%s', async (_, files, problem) => {
    const root = await rootWith({ 'good/SKILL.md': skillMd('good'), ...files });
    const catalog = folderCatalog([{ path: root, tier: 'local' }]);
    expect((await catalog.list()).map(({ id }) => id)).toEqual(['good']);
    const id = Object.keys(files)[0]?.split('/')[0] as string;
    expect(await catalog.broken()).toEqual([{ id, root: join(root, id), problem }]);
    expect(await catalog.find(id)).toEqual({ id, root: join(root, id), problem });
  });

  test('with more mistakes than anybody reads: their beginning, and where all are shown', async () => {
    const keys = Array.from({ length: 500 }, (_, at) => `k${at}: 1`);
    const root = await rootWith({ 'bad/SKILL.md': skillMd('bad'), 'bad/ambit.yaml': keys.join('\n') });
    const [broken] = await folderCatalog([{ path: root, tier: 'local' }]).broken();
    expect(broken?.problem).toMatch(
      /^ambit\.yaml: unknown key "k0" at the top; .{3900,4000}…; "ambit skills validate" shows all of it$/,
    );
  });

  test('and neither is one whose SKILL.md is too long or a link', async () => {
    const root = await rootWith({
      'long/SKILL.md': `${skillMd('long')}${'x'.repeat(1024 * 1024)}`,
      'good/SKILL.md': skillMd('good'),
    });
    await mkdir(join(root, 'link'));
    await symlink('../good/SKILL.md', join(root, 'link/SKILL.md'));
    const broken = await folderCatalog([{ path: root, tier: 'local' }]).broken();
    expect(broken.map(({ id }) => id)).toEqual(['link', 'long']);
  });

  test('of two skills with one name the first stands and the other is reported', async () => {
    const first = await rootWith({ 'a/SKILL.md': skillMd('a', 'first') });
    const second = await rootWith({ 'a/SKILL.md': skillMd('a', 'second') });
    const catalog = folderCatalog([
      { path: first, tier: 'local' },
      { path: second, tier: 'untrusted' },
    ]);
    expect(await catalog.find('a')).toMatchObject({ manifest: { description: 'first' }, tier: 'local' });
    expect(await catalog.broken()).toEqual([
      {
        id: 'a',
        root: join(second, 'a'),
        problem: `another skill of this name is used instead: ${join(first, 'a')}`,
      },
    ]);
  });
});

test('links inside a skill are digested as links and never followed', async () => {
  const root = await rootWith({ 'a/SKILL.md': skillMd('a') });
  await symlink('/etc/passwd', join(root, 'a/link'));
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const before = await catalog.find('a');
  expect(before).toMatchObject({ files: [{ path: 'SKILL.md' }, { path: 'link', bytes: 11 }] });
  await symlink('/etc/shadow', join(root, 'other'));
  await rename(join(root, 'other'), join(root, 'a/link'));
  expect((await catalog.find('a')) !== before).toBe(true);
});

test('an edit that restores size and modification time is seen all the same', async () => {
  const root = await rootWith({ 'a/SKILL.md': skillMd('a'), 'a/data': '1111' });
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  const { utimes, stat } = await import('node:fs/promises');
  const before = await catalog.find('a');
  const { atime, mtime } = await stat(join(root, 'a/data'));
  await writeFile(join(root, 'a/data'), '2222');
  await utimes(join(root, 'a/data'), atime, mtime);
  expect((await catalog.find('a')) !== before).toBe(true);
});
