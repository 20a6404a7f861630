// Threat model: T60, T444

import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type SavedFile, saveFiles } from './workspace-files.ts';

const file = (path: string, text = 'new'): SavedFile => ({ path, content: async () => text });
const files = (...paths: readonly string[]) => paths.map((path) => file(path));

const decisive = [
  '.git/config',
  'sub/.GIT/hooks/x',
  '.g\u200cit/config',
  '.ambit/keys.db',
  '\uff0egit/config',
  'ambit/Ambit.config.yaml',
];

test.each(decisive)('saves no files of a run that created %s, even with every option', async (path) => {
  const folder = await temporaryFolder();
  await expect(saveFiles(folder, files('a', path), { overwrite: true, hidden: true })).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: `refused to save 1 file (${path}): files in .git and .ambit, and ambit.config.yaml, can run commands on this machine. No file was saved`,
  });
  expect(await readdir(folder)).toEqual([]);
});

test('saves no files of a run in the user’s own folder of Ambit, even with every option, and saves files beside it', async () => {
  const folder = await temporaryFolder();
  vi.stubEnv('XDG_DATA_HOME', join(folder, '.local'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = { overwrite: true, hidden: true };
  const own = ['.local/ambit/trusted/a.json', '.local/Ambit/data/daemon.json'];
  await expect(saveFiles(folder, files('a', ...own), options)).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    details: { paths: own },
  });
  expect(await readdir(folder)).toEqual([]);
  await expect(saveFiles(join(folder, '.local/ambit'), files('key'))).rejects.toMatchObject({
    details: { paths: ['key'] },
  });
  await saveFiles(folder, files('.local/ambit-notes/a'), options);
  expect(await readdir(join(folder, '.local'))).toEqual(['ambit-notes']);
});

test.each<[claim: string, before: Record<string, string>, saved: string[], refused: string[]]>([
  [
    'itself',
    {},
    ['a', 'HEAD', 'refs/x', 'objects/x', 'config'],
    ['a', 'HEAD', 'refs/x', 'objects/x', 'config'],
  ],
  ['a folder', {}, ['a', 'b/c/head', 'b/c/Refs/x', 'b/c/config'], ['b/c/head', 'b/c/Refs/x', 'b/c/config']],
  ['one with a common folder', {}, ['a', 'b/HEAD', 'b/commondir'], ['b/HEAD', 'b/commondir']],
  ['one of two runs', { 'b/HEAD': 'ref: refs/heads/main' }, ['a', 'b/refs/x'], ['b/refs/x']],
  ['an existing one', { HEAD: 'ref: refs/heads/main', 'refs/x': '' }, ['hooks/x'], ['hooks/x']],
])('saves no files of a run that would make %s a git repository', async (_, before, saved, refused) => {
  const folder = await temporaryFolder(before);
  await expect(saveFiles(folder, files(...saved), { overwrite: true, hidden: true })).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    details: { paths: refused },
  });
  expect(await contents(folder)).toEqual(before);
});

test('makes no folder for a run without files', async () => {
  const folder = join(await temporaryFolder(), 'out');
  await saveFiles(folder, []);
  await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  await saveFiles(folder, files('a'));
  expect(await readdir(folder)).toEqual(['a']);
});

test('saves a file called HEAD, and folders called refs and objects', async () => {
  const folder = await temporaryFolder();
  await saveFiles(folder, files('HEAD', 'a/refs/x', 'a/objects/x'));
  expect(await contents(folder)).toEqual({ HEAD: 'new', 'a/refs/x': 'new', 'a/objects/x': 'new' });
});

test.each([
  '.envrc',
  '.npmrc',
  '.claude/settings.json',
  'sub/.github/workflows/x.yml',
  '\u200b.envrc',
  '\u2024envrc',
  '\uff0envrc',
])('saves no files of a run that created the hidden file %s, unless --hidden is set', async (path) => {
  const folder = await temporaryFolder();
  await expect(saveFiles(folder, files('a', path, 'b'), { overwrite: true })).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: `refused to save 1 file (${path}): tools run commands from hidden files. If you have checked them, add --hidden. No file was saved`,
  });
  expect(await readdir(folder)).toEqual([]);
  await saveFiles(folder, files('a', path, 'b'), { hidden: true });
  expect(await contents(folder)).toEqual({ a: 'new', b: 'new', [path]: 'new' });
});

test('replaces no file unless --overwrite is set, names all of them, and lists them before it writes', async () => {
  const before = { 'package.json': 'old', 'sub/Makefile': 'old', other: 'old' };
  const folder = await temporaryFolder(before);
  await chmod(join(folder, 'package.json'), 0o640);
  const saved = files('new/a', 'package.json', 'sub/Makefile');
  await expect(saveFiles(folder, saved, { hidden: true })).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message:
      'refused to save 2 files (package.json, sub/Makefile): they exist, and tools could run commands from the new ones. To replace them, add --overwrite, or save into another folder. No file was saved',
    details: { paths: ['package.json', 'sub/Makefile'] },
  });
  expect(await contents(folder)).toEqual(before);
  const seen: unknown[] = [];
  const watched = saved.map((each) => ({
    ...each,
    content: async () => {
      seen.push(each.path);
      return 'new';
    },
  }));
  await saveFiles(folder, watched, { overwrite: true, onReplace: (paths) => seen.push(paths) });
  expect(seen).toEqual([['package.json', 'sub/Makefile'], 'new/a', 'package.json', 'sub/Makefile']);
  expect(await contents(folder)).toEqual({
    'package.json': 'new',
    'sub/Makefile': 'new',
    other: 'old',
    'new/a': 'new',
  });
  expect((await stat(join(folder, 'package.json'))).mode & 0o777).toBe(0o640);
});

test.each([
  ['two cases of a name', ['a/Read.me', 'a/read.ME']],
  ['two forms of Unicode', ['caf\u00e9', 'cafe\u0301']],
  ['a zero-width character', ['a', 'a\u200b']],
  ['the same path twice', ['a', 'a']],
])('saves nothing if two names differ only by %s', async (_, paths) => {
  const folder = await temporaryFolder();
  await expect(saveFiles(folder, files(...paths), { overwrite: true })).rejects.toMatchObject({
    message: expect.stringContaining('so one could replace the other. No file was saved'),
  });
  expect(await readdir(folder)).toEqual([]);
});

test.each(['../a', '/a', 'a/../../b', 'a\\b', 'a\nb'])('saves nothing if a path is %j', async (path) => {
  const folder = await temporaryFolder();
  await expect(saveFiles(folder, files('a', path))).rejects.toMatchObject({
    message: expect.stringContaining('they are not valid workspace paths. No file was saved'),
  });
  expect(await readdir(folder)).toEqual([]);
});

test('writes nothing through links in the folder, to files or to folders', async () => {
  const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder({ file: 'whole' })];
  await symlink(join(elsewhere, 'file'), join(folder, 'file'));
  await symlink(join(elsewhere, 'none'), join(folder, 'dangling'));
  await symlink(elsewhere, join(folder, 'below'));
  const options = { overwrite: true, hidden: true };
  for (const path of ['file', 'dangling', 'below', 'below/new', 'below/sub/new', 'below/file'])
    await expect(saveFiles(folder, files('a', path), options)).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: `refused to save 1 file (${path}): a symbolic link, a folder or another kind of file is in their place. No file was saved`,
    });
  expect(await contents(elsewhere)).toEqual({ file: 'whole' });
  expect((await readdir(folder)).toSorted()).toEqual(['below', 'dangling', 'file']);
});

test('creates files below a folder that is a link, with default permissions', async () => {
  const place = await temporaryFolder({ 'real/x': 'x' });
  await symlink('real', join(place, 'folder'));
  await saveFiles(join(place, 'folder'), files('a', 'sub/b'));
  expect(await contents(join(place, 'real'))).toEqual({ x: 'x', a: 'new', 'sub/b': 'new' });
  expect((await stat(join(place, 'real/a'))).mode & 0o777).toBe(0o666 & ~process.umask());
});

test('leaves the folder unchanged if a file cannot be read or placed, and removes a new folder', async () => {
  const before = { a: 'old', 'sub/b': 'old' };
  const folder = await temporaryFolder(before);
  const lost: SavedFile = { path: 'c', content: () => Promise.reject(new Error('the daemon is gone')) };
  const saved = [...files('a', 'sub/b', 'made/here/c'), lost];
  const refusal = {
    code: 'USAGE_INVALID',
    message: expect.stringMatching(/: the daemon is gone\. No file was saved$/),
  };
  await expect(saveFiles(folder, saved, { overwrite: true })).rejects.toMatchObject(refusal);
  expect(await contents(folder)).toEqual(before);
  await expect(saveFiles(join(folder, 'x/y'), saved)).rejects.toMatchObject(refusal);
  // Another program writes into the place of the last file meanwhile.
  const late: SavedFile = {
    path: 'late',
    content: async () => {
      await writeFile(join(folder, 'late'), 'theirs');
      return 'new';
    },
  };
  await expect(
    saveFiles(folder, [...files('a', 'made/here/c'), late], { overwrite: true }),
  ).rejects.toMatchObject({ message: expect.stringMatching(/EEXIST.*\. No file was saved$/) });
  expect(await contents(folder)).toEqual({ ...before, late: 'theirs' });
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'late', 'sub']);
});

/** Every file below a folder by its path. */
async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  return Object.fromEntries(
    await Promise.all(found.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)),
  );
}
