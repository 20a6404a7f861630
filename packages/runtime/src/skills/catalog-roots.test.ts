// Threat model: T128

import { realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { folderCatalog } from './folder-catalog.ts';
import type { SkillRoot } from './scan/skill-root.ts';

async function scan(...roots: SkillRoot[]) {
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

describe('skill folders', () => {
  test('finds skills down to four levels and no deeper', async () => {
    const root = await rootWith('one', 'a/two', 'a/b/three', 'a/b/c/four', 'a/b/c/d/five');
    expect((await scan(local(root))).ids).toEqual(['four', 'one', 'three', 'two']);
  });

  test('skips the inside of skills, folders with a leading dot and node_modules', async () => {
    const root = await rootWith('one', 'one/inner', '.git/two', 'node_modules/three', 'modules/four');
    expect((await scan(local(root))).ids).toEqual(['four', 'one']);
  });

  test('finds a new category, and notices a removed one, at the next call', async () => {
    const root = await rootWith('a/one');
    const catalog = folderCatalog([local(root)]);
    const ids = async () => (await catalog.list()).map(({ id }) => id);
    expect(await ids()).toEqual(['one']);
    await writeFiles(root, { 'b/c/two/SKILL.md': skillMd('two') });
    expect(await ids()).toEqual(['one', 'two']);
    await rm(join(root, 'b'), { recursive: true });
    expect(await ids()).toEqual(['one']);
  });

  test('finds skills below skills and plugins of a skill, which does not include them', async () => {
    const root = await rootWith('repo/skills/a', 'repo/skills/group/b', 'repo/plugins/x/skills/c');
    await writeFiles(root, {
      'repo/SKILL.md': skillMd('repo'),
      'repo/skills/README.md': 'x',
      'repo/examples/demo/SKILL.md': skillMd('demo'),
      'repo/plugins/x/SKILL.md': skillMd('x'),
      'repo/skills/a/assets/SKILL.md': skillMd('assets'),
      'repo/skills/a/skills/d/SKILL.md': skillMd('d'),
      'repo/.skills/e/SKILL.md': skillMd('e'),
      'repo/skills/1/2/3/f/SKILL.md': skillMd('f'),
    });
    // As a folder of roots, and as a root.
    for (const [roots, ids] of [
      [[local(root)], ['a', 'b', 'c', 'd', 'repo']],
      [[local(join(root, 'repo'))], ['a', 'b', 'c', 'd', 'repo']],
      [
        [local(join(root, 'repo')), local(join(root, 'repo/skills/a'))],
        ['a', 'b', 'c', 'd', 'repo'],
      ],
    ] as const)
      expect(await scan(...roots)).toMatchObject({ ids, broken: [] });
    const paths = ['SKILL.md', 'examples/demo/SKILL.md', 'plugins/x/SKILL.md'];
    paths.push('skills/1/2/3/f/SKILL.md', 'skills/README.md');
    expect(await folderCatalog([local(root)]).find('repo')).toMatchObject({
      files: paths.map((path) => ({ path })),
    });
  });

  test('notices a skill that is added to another one, changed in it or becomes a part of it', async () => {
    const root = await rootWith('repo');
    await writeFiles(root, { 'repo/skills/a/notes.md': 'x' });
    const catalog = folderCatalog([local(root)]);
    const files = async () =>
      Object.fromEntries(
        (await catalog.list()).map(({ id, files: all }) => [id, all.map(({ path }) => path)]),
      );
    expect(await files()).toEqual({ repo: ['SKILL.md', 'skills/a/notes.md'] });
    await writeFiles(root, { 'repo/skills/a/SKILL.md': skillMd('a') });
    const apart = { a: ['SKILL.md', 'notes.md'], repo: ['SKILL.md'] };
    expect(await files()).toEqual(apart);
    expect(await files()).toEqual(apart);
    await writeFiles(root, { 'repo/skills/a/deep/more.md': 'x' });
    expect(await files()).toEqual({ ...apart, a: ['SKILL.md', 'deep/more.md', 'notes.md'] });
    await rm(join(root, 'repo/skills/a/SKILL.md'));
    expect(await files()).toEqual({ repo: ['SKILL.md', 'skills/a/deep/more.md', 'skills/a/notes.md'] });
  });

  test('detects a replaced folder in list and in find', async () => {
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
  test('follows links out of a configured root', async () => {
    const [root, other] = [await rootWith('one'), await rootWith('two')];
    await symlink(join(other, 'two'), join(root, 'two'));
    expect(await scan(local(root))).toEqual({ ids: ['one', 'two'], tiers: ['local', 'local'], broken: [] });
  });

  test('reports links out of a discovered root instead of following them, and follows links within it', async () => {
    const [root, other] = [await rootWith('one'), await rootWith('two')];
    await symlink(join(other, 'two'), join(root, 'two'));
    await symlink(join(root, 'one'), join(root, 'uno'));
    expect(await scan({ path: root, tier: 'untrusted', discovered: true })).toEqual({
      ids: ['one'],
      tiers: ['untrusted'],
      broken: [
        {
          id: 'two',
          root: join(root, 'two'),
          problem: `the link leads out of ${root}; to include its target, add ${join(other, 'two')} to "skills" in the configuration`,
        },
      ],
    });
  });

  test('treats a link from one discovered root into another as the same skill', async () => {
    const [agents, claude] = [await rootWith('one'), await rootWith('two')];
    await symlink(join(agents, 'one'), join(claude, 'one'));
    const places = [agents, claude].map((path): SkillRoot => ({ path, tier: 'untrusted', discovered: true }));
    expect(await scan(...places)).toMatchObject({ ids: ['one', 'two'], broken: [] });
  });

  test('does not follow a link out of a root from a subfolder', async () => {
    const [root, other] = [await rootWith('a/one'), await rootWith('two')];
    await symlink(join(other, 'two'), join(root, 'a/two'));
    expect(await scan(local(root))).toMatchObject({ ids: ['one'], broken: [{ id: 'two' }] });
  });

  test('stops at links that form a cycle', async () => {
    const root = await rootWith('a/one');
    await symlink('..', join(root, 'a/up'));
    await symlink('.', join(root, 'self'));
    await symlink('ring', join(root, 'ring'));
    expect(await scan(local(root))).toMatchObject({ ids: ['one'], broken: [{ id: 'ring' }] });
  });

  test('follows a link to its new target, in find as well', async () => {
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

describe('a root with more than 256 skills', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `s${1000 + at}`);

  test('loses the excess of a discovered root with more than 256 skills, and the catalog says how to include it', async () => {
    const root = await rootWith(...numbered(258), 'z/deeper');
    const found: SkillRoot = { path: root, tier: 'untrusted', discovered: true };
    expect(await scan(found)).toMatchObject({
      ids: numbered(256),
      broken: [
        {
          id: basename(root),
          root,
          problem: `the folder has more than 256 skills; the rest are ignored because the configuration does not name this folder. To include them, add ${root} to "skills" in the configuration`,
        },
      ],
    });
    await rm(join(root, 's1000'), { recursive: true });
    expect((await scan(found)).ids).toEqual(numbered(257).slice(1));
  });

  test('leaves the limit of the next discovered root untouched by more than 256 skills', async () => {
    const [many, other] = [await rootWith(...numbered(257)), await rootWith('one')];
    const places = [many, other].map((path): SkillRoot => ({ path, tier: 'untrusted', discovered: true }));
    expect((await scan(...places)).ids).toEqual(['one', ...numbered(256)]);
  });

  test('keeps all skills of a configured root with more than 256', async () => {
    const root = await rootWith(...numbered(258));
    expect(await scan(local(root))).toMatchObject({ ids: numbered(258), broken: [] });
  });
});

describe('precedence of two roots', () => {
  test('prefers a configured root to a discovered one, in either order', async () => {
    const [found, named] = [await rootWith('one'), await rootWith('one')];
    expect(await scan({ path: found, tier: 'untrusted', discovered: true }, local(named))).toEqual({
      ids: ['one'],
      tiers: ['local'],
      broken: [
        {
          id: 'one',
          root: join(found, 'one'),
          problem: `another skill with this id is used instead: ${join(named, 'one')}`,
        },
      ],
    });
  });

  test('keeps the tier of a configured root inside another one', async () => {
    const root = await rootWith('one', 'downloads/two');
    const downloads: SkillRoot = { path: join(root, 'downloads'), tier: 'untrusted' };
    expect(await scan(local(root), downloads)).toMatchObject({
      ids: ['one', 'two'],
      tiers: ['local', 'untrusted'],
    });
    expect(await scan(local(root), { ...downloads, discovered: true })).toMatchObject({
      tiers: ['local', 'local'],
    });
  });
});

describe('a namespace', () => {
  test('leaves a name to the skill without one', async () => {
    const [one, other] = [await rootWith('docx'), await rootWith('docx')];
    const catalog = folderCatalog([{ ...local(one), namespace: 'acme' }, local(other)]);
    expect(await catalog.find('docx')).toMatchObject({ id: 'docx', root: join(other, 'docx') });
    await rm(join(other, 'docx'), { recursive: true });
    expect(await catalog.find('docx')).toMatchObject({ id: 'acme:docx' });
  });

  test('is part of the id of an unusable folder', async () => {
    const root = await rootWith('good');
    await writeFiles(root, { 'bad/SKILL.md': '---\n---\n' });
    const { broken } = await scan({ ...local(root), namespace: 'acme' });
    expect(broken).toMatchObject([{ id: 'acme:bad', root: join(root, 'bad') }]);
  });

  test('is part of the id of a folder that cannot be searched', async () => {
    const [root, other] = [await rootWith('good'), await rootWith('docx')];
    await symlink('docx', join(root, 'docx'));
    const catalog = folderCatalog([
      { ...local(root), namespace: 'acme' },
      { ...local(other), namespace: 'other' },
    ]);
    expect(await catalog.broken()).toMatchObject([{ id: 'acme:docx' }]);
    expect(await catalog.find('docx')).toMatchObject({ code: 'SKILL_AMBIGUOUS' });
  });

  test.each([
    ['usable', skillMd('docx')],
    ['unusable', 'x'],
  ])('keeps its name from a discovered skill that is %s', async (_, text) => {
    const [named, found] = [await rootWith('docx'), await rootWith('other')];
    await writeFiles(found, { 'docx/SKILL.md': text });
    const catalog = folderCatalog([
      { path: found, tier: 'untrusted', discovered: true },
      { ...local(named), namespace: 'acme' },
    ]);
    expect(await catalog.find('docx')).toMatchObject({ id: 'acme:docx' });
    expect((await catalog.list()).map(({ id }) => id)).toEqual(['acme:docx', 'other']);
    expect(await catalog.broken()).toEqual([
      {
        id: join(found, 'docx'),
        root: join(found, 'docx'),
        problem: expect.stringMatching(/^its name means the configured skill acme:docx; to use both, add/),
      },
    ]);
  });

  test('applies to a folder that moves to another root', async () => {
    const root = await rootWith('a/one');
    const catalog = folderCatalog([
      { ...local(join(root, 'a')), namespace: 'acme' },
      { ...local(join(root, 'b')), namespace: 'other' },
    ]);
    expect(await catalog.find('one')).toMatchObject({ id: 'acme:one' });
    await rename(join(root, 'a'), join(root, 'b'));
    expect(await catalog.find('one')).toMatchObject({ id: 'other:one' });
    expect(await catalog.find('acme:one')).toBeUndefined();
  });
});
