// Threat model: T29

import { chmod, lstat, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { writeFiles } from '../../testing/skill-on-disk.ts';
import { skillMd } from '../../testing/skill-text.ts';
import { readSkillFolder } from '../folder/read-skill-folder.ts';
import { folderCatalog } from '../folder-catalog.ts';
import { readSkillCache, type SkillCacheOptions, writeSkillCache } from './skill-cache.ts';

/** A skill on disk, and a cache with another description of it, which shows whether the cache is used. */
async function cachedSkill(files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder();
  const root = join(folder, 'skills/a');
  await writeFiles(root, {
    'SKILL.md': skillMd('a', 'from the folder'),
    'scripts/run.sh': 'true\n',
    ...files,
  });
  const options: SkillCacheOptions = { file: join(folder, 'cache'), key: 'secret', program: 'one' };
  const read = { ...(await readSkillFolder(root, 'local')), settled: true };
  const manifest = { ...read.skill.manifest, description: 'from the cache' };
  await writeSkillCache(options, [{ ...read, skill: { ...read.skill, manifest } }]);
  return { root, options, read };
}

/** Returns what a new catalog with this cache finds: the skill's description and tier, and whether `find` agrees with `list`. */
async function listed(root: string, options: SkillCacheOptions, tier: 'local' | 'untrusted' = 'local') {
  const catalog = folderCatalog([{ path: join(root, '..'), tier }], options);
  const [skill] = await catalog.list();
  const found = await catalog.find('a');
  await catalog.close();
  return { description: skill?.manifest.description, tier: skill?.tier, isFound: found === skill };
}

const fromCache = { description: 'from the cache', tier: 'local', isFound: true };
const fromFolder = { description: 'from the folder', tier: 'local', isFound: true };

test('an unchanged skill comes from the cache at every start', async () => {
  const { root, options } = await cachedSkill();
  expect(await listed(root, options)).toEqual(fromCache);
  expect(await listed(root, options)).toEqual(fromCache);
});

test('a stored skill equals the skill that was read', async () => {
  const sidecar = 'run: { runtime: wasm, entry: a.js, input: { maximum: 1.5, const: "\u0000é" } }\n';
  const { options, read } = await cachedSkill({ 'ambit.yaml': sidecar, 'a.js': '' });
  await writeSkillCache(options, [read]);
  const skills = await (await readSkillCache(options))?.skills();
  expect([...(skills ?? [])]).toEqual([[read.skill.root, read]]);
});

test.each(['.inf', '-.inf', '.nan', '-0.0'])(
  'a skill with the number %s, which JSON cannot express, is not stored',
  async (number) => {
    const sidecar = `run: { runtime: wasm, entry: a.js, input: { enum: [1, { a: ${number} }] } }\n`;
    const { options, read } = await cachedSkill({ 'ambit.yaml': sidecar, 'a.js': '' });
    await writeSkillCache(options, [read]);
    expect(await (await readSkillCache(options))?.skills()).toEqual(new Map());
  },
);

test('a stored skill has the tier of its root, never the stored tier', async () => {
  const { root, options } = await cachedSkill();
  expect(await listed(root, options, 'untrusted')).toEqual({ ...fromCache, tier: 'untrusted' });
});

test.each<[string, (root: string) => Promise<unknown>]>([
  ['a file grew', (root) => writeFile(join(root, 'scripts/run.sh'), 'false\n')],
  ['a file was added', (root) => writeFile(join(root, 'scripts/more.sh'), '')],
  ['a file was removed', (root) => rm(join(root, 'scripts/run.sh'))],
])('a changed folder is read when %s', async (_, change) => {
  const { root, options } = await cachedSkill();
  await change(root);
  expect(await listed(root, options)).toEqual(fromFolder);
});

describe('a cache is ignored', () => {
  const flip = async (file: string, at: (length: number) => number): Promise<void> => {
    const content = await readFile(file);
    const place = at(content.length);
    content[place] = (content[place] ?? 0) ^ 1;
    await writeFile(file, content);
  };
  test.each<[string, (file: string) => Promise<unknown>]>([
    ['that is empty', (file) => writeFile(file, '')],
    ['that is text', (file) => writeFile(file, 'skills: []\n'.repeat(10))],
    ['with another first byte', (file) => flip(file, () => 0)],
    ['with another length of a block', (file) => flip(file, () => 32)],
    ['with another byte in the middle', (file) => flip(file, (length) => length >> 1)],
    ['with another last byte', (file) => flip(file, (length) => length - 1)],
    ['that lacks its end', async (file) => writeFile(file, (await readFile(file)).subarray(0, -20))],
    [
      'that is longer',
      async (file) => writeFile(file, Buffer.concat([await readFile(file), Buffer.alloc(8)])),
    ],
    ['that other users can write', (file) => chmod(file, 0o602)],
    ['that its group can write', (file) => chmod(file, 0o620)],
    ['that other users can read', (file) => chmod(file, 0o604)],
    [
      'that is a link to a valid one',
      async (file) => {
        await rename(file, `${file}.moved`);
        await symlink(`${file}.moved`, file);
      },
    ],
  ])('%s', async (_, change) => {
    const { root, options } = await cachedSkill();
    await change(options.file);
    expect(await listed(root, options)).toEqual(fromFolder);
  });

  test.each([
    ['written with another key', { key: 'other' }],
    ['written by another program', { program: 'two' }],
  ])('%s', async (_, other) => {
    const { root, options } = await cachedSkill();
    expect(await listed(root, { ...options, ...other })).toEqual(fromFolder);
    expect(await listed(root, options)).toEqual(fromCache);
  });

  test.runIf(process.getuid?.() === 0)('owned by another user', async () => {
    const { root, options } = await cachedSkill();
    const { chown } = await import('node:fs/promises');
    await chown(options.file, 65534, 65534);
    expect(await listed(root, options)).toEqual(fromFolder);
  });
});

test('a folder with a time of a whole second is not stored: an image may give the next content the same time', async () => {
  const { root, options, read } = await cachedSkill();
  const signature = read.signature.replace(/\d{9}$/, '000000000');
  await writeSkillCache(options, [{ ...read, signature }]);
  expect(await (await readSkillCache(options))?.skills()).toEqual(new Map());
  await writeSkillCache(options, [read]);
  expect((await readSkillCache(options))?.signatures).toEqual([read.signature]);
  expect(await listed(root, options)).toEqual(fromFolder);
});

test('a large skill and a folder that was just edited are not stored', async () => {
  const { options, read } = await cachedSkill();
  const large = { ...read, skill: { ...read.skill, body: 'x'.repeat(256 * 1024) } };
  await writeSkillCache(options, [large, { ...read, settled: false }]);
  expect(await (await readSkillCache(options))?.skills()).toEqual(new Map());
});

test('the file is closed to other users, and replaces a damaged one', async () => {
  const { root, options, read } = await cachedSkill();
  await writeFile(options.file, 'damaged');
  await writeSkillCache(options, [read]);
  expect((await lstat(options.file)).mode & 0o777).toBe(0o600);
  expect(await listed(root, options)).toEqual(fromFolder);
  expect((await readSkillCache(options))?.signatures).toHaveLength(1);
});
