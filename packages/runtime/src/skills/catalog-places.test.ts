import { mkdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { folderCatalog } from './folder-catalog.ts';
import { discoveredRoots, type SkillRoot } from './skill-root.ts';

async function seen(...roots: SkillRoot[]) {
  const catalog = folderCatalog(roots);
  const [skills, broken] = await Promise.all([catalog.list(), catalog.broken()]);
  return { ids: skills.map(({ id }) => id), tiers: skills.map(({ tier }) => tier), broken };
}

async function rootWith(...paths: string[]): Promise<string> {
  const root = await realpath(await temporaryFolder());
  for (const path of paths)
    await writeFiles(root, { [`${path}/SKILL.md`]: skillMd(path.split('/').at(-1) ?? '') });
  return root;
}

const local = (path: string): SkillRoot => ({ path, tier: 'local' });

describe('below a root', () => {
  test('skills are found down to four folders, and no deeper', async () => {
    const root = await rootWith('one', 'a/two', 'a/b/three', 'a/b/c/four', 'a/b/c/d/five');
    expect((await seen(local(root))).ids).toEqual(['four', 'one', 'three', 'two']);
  });

  test('nothing is looked for in a skill, in a folder with a dot, or in node_modules', async () => {
    const root = await rootWith('one', 'one/inner', '.git/two', 'node_modules/three', 'modules/four');
    expect((await seen(local(root))).ids).toEqual(['four', 'one']);
  });

  test('a category that comes later is found at the next call, and so is one that goes', async () => {
    const root = await rootWith('a/one');
    const catalog = folderCatalog([local(root)]);
    const ids = async () => (await catalog.list()).map(({ id }) => id);
    expect(await ids()).toEqual(['one']);
    await writeFiles(root, { 'b/c/two/SKILL.md': skillMd('two') });
    expect(await ids()).toEqual(['one', 'two']);
    await rm(join(root, 'b'), { recursive: true });
    expect(await ids()).toEqual(['one']);
  });

  test('a folder in the place of another is seen, by list and by find', async () => {
    const root = await rootWith('one', '.next/one');
    await writeFiles(root, { '.next/one/SKILL.md': skillMd('one', 'other') });
    const catalog = folderCatalog([local(root)]);
    expect(await catalog.find('one')).toMatchObject({ manifest: { description: 'd' } });
    await rename(join(root, 'one'), join(root, '.before'));
    await rename(join(root, '.next/one'), join(root, 'one'));
    expect(await catalog.find('one')).toMatchObject({ manifest: { description: 'other' } });
    expect(await catalog.list()).toMatchObject([{ manifest: { description: 'other' } }]);
  });
});

describe('links', () => {
  test('that lead to skills elsewhere are followed from a configured root', async () => {
    const [root, other] = [await rootWith('one'), await rootWith('two')];
    await symlink(join(other, 'two'), join(root, 'two'));
    expect(await seen(local(root))).toEqual({ ids: ['one', 'two'], tiers: ['local', 'local'], broken: [] });
  });

  test('that lead out of a discovered place are not, and it says so; those within it are', async () => {
    const [root, other] = [await rootWith('one'), await rootWith('two')];
    await symlink(join(other, 'two'), join(root, 'two'));
    await symlink(join(root, 'one'), join(root, 'uno'));
    expect(await seen({ path: root, tier: 'untrusted', discovered: true })).toEqual({
      ids: ['one'],
      tiers: ['untrusted'],
      broken: [
        {
          id: 'two',
          root: join(root, 'two'),
          problem: `the link leads out of ${root}; to have what is there, add ${join(other, 'two')} to "skills" in the configuration`,
        },
      ],
    });
  });

  test('that lead from one discovered place into another name the same skill', async () => {
    const [agents, claude] = [await rootWith('one'), await rootWith('two')];
    await symlink(join(agents, 'one'), join(claude, 'one'));
    const places = [agents, claude].map((path): SkillRoot => ({ path, tier: 'untrusted', discovered: true }));
    expect(await seen(...places)).toMatchObject({ ids: ['one', 'two'], broken: [] });
  });

  test('that lead out from deeper down are not followed', async () => {
    const [root, other] = [await rootWith('a/one'), await rootWith('two')];
    await symlink(join(other, 'two'), join(root, 'a/two'));
    expect(await seen(local(root))).toMatchObject({ ids: ['one'], broken: [{ id: 'two' }] });
  });

  test('that lead in a circle end there', async () => {
    const root = await rootWith('a/one');
    await symlink('..', join(root, 'a/up'));
    await symlink('.', join(root, 'self'));
    await symlink('ring', join(root, 'ring'));
    expect(await seen(local(root))).toMatchObject({ ids: ['one'], broken: [{ id: 'ring' }] });
  });

  test('that lead elsewhere by now are followed anew, by find as well', async () => {
    const root = await rootWith('.v1/one', '.v2/one');
    await writeFiles(root, { '.v2/one/SKILL.md': skillMd('one', 'second') });
    await symlink('.v1/one', join(root, 'one'));
    const catalog = folderCatalog([local(root)]);
    expect(await catalog.find('one')).toMatchObject({ manifest: { description: 'd' } });
    await symlink('.v2/one', join(root, '.link'));
    await rename(join(root, '.link'), join(root, 'one'));
    expect(await catalog.find('one')).toMatchObject({ manifest: { description: 'second' } });
  });
});

describe('more skills than 256', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `s${1000 + at}`);

  test('in a discovered place are left out, and the catalog says how to have them', async () => {
    const root = await rootWith(...numbered(258), 'z/deeper');
    const found: SkillRoot = { path: root, tier: 'untrusted', discovered: true };
    expect(await seen(found)).toMatchObject({
      ids: numbered(256),
      broken: [
        {
          id: basename(root),
          root,
          problem: `it holds more than 256 skills, and the rest is left out because the configuration does not name this folder; to have them all, add ${root} to "skills" in the configuration`,
        },
      ],
    });
    await rm(join(root, 's1000'), { recursive: true });
    expect((await seen(found)).ids).toEqual(numbered(257).slice(1));
  });

  test('in a discovered place leave room for those of the next one', async () => {
    const [many, other] = [await rootWith(...numbered(257)), await rootWith('one')];
    const places = [many, other].map((path): SkillRoot => ({ path, tier: 'untrusted', discovered: true }));
    expect((await seen(...places)).ids).toEqual(['one', ...numbered(256)]);
  });

  test('in a configured root are all there', async () => {
    const root = await rootWith(...numbered(258));
    expect(await seen(local(root))).toMatchObject({ ids: numbered(258), broken: [] });
  });
});

describe('of two roots', () => {
  test('the configured one comes before the discovered one, whatever their order', async () => {
    const [found, named] = [await rootWith('one'), await rootWith('one')];
    expect(await seen({ path: found, tier: 'untrusted', discovered: true }, local(named))).toEqual({
      ids: ['one'],
      tiers: ['local'],
      broken: [
        {
          id: 'one',
          root: join(found, 'one'),
          problem: `another skill of this name is used instead: ${join(named, 'one')}`,
        },
      ],
    });
  });

  test('the one that lies in the other keeps its tier', async () => {
    const root = await rootWith('one', 'downloads/two');
    const downloads: SkillRoot = { path: join(root, 'downloads'), tier: 'untrusted' };
    expect(await seen(local(root), downloads)).toMatchObject({
      ids: ['one', 'two'],
      tiers: ['local', 'untrusted'],
    });
    expect(await seen(local(root), { ...downloads, discovered: true })).toMatchObject({
      tiers: ['local', 'local'],
    });
  });
});

test('the places that people use are the project’s before the user’s, and untrusted', async () => {
  const folder = await temporaryFolder();
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  const places = discoveredRoots({ project, home });
  expect(places).toEqual(
    [
      join(project, '.agents/skills'),
      join(project, '.claude/skills'),
      join(home, '.agents/skills'),
      join(home, '.claude/skills'),
    ].map((path) => ({ path, tier: 'untrusted', discovered: true })),
  );
  await mkdir(project);
  await writeFiles(project, { '.claude/skills/one/SKILL.md': skillMd('one', 'project') });
  await writeFiles(home, { '.agents/skills/one/SKILL.md': skillMd('one', 'user') });
  expect(await folderCatalog(places).list()).toMatchObject([{ manifest: { description: 'project' } }]);
});
