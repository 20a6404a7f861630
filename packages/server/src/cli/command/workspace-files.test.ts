import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { saveFiles } from './workspace-files.ts';

const created = (path: string) => ({ path, change: 'created' as const, bytes: 1, content: Buffer.from('x') });

test.each(['.git/config', 'sub/.GIT/hooks/x', '.g\u200cit/config', '.ambit/keys.db'])(
  'saves no files of a run that created %s, which could run programs as the user or add keys',
  async (path) => {
    const folder = await temporaryFolder();
    await expect(saveFiles(folder, [created('a'), created(path)])).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: `refused to save ${path}: files in .git and .ambit can run commands on this machine. No file was saved`,
    });
    expect(await readdir(folder)).toEqual([]);
  },
);

test('writes nothing through links in the folder, to files or to folders', async () => {
  const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(elsewhere, 'file'), 'whole');
  await symlink(join(elsewhere, 'file'), join(folder, 'file'));
  await symlink(elsewhere, join(folder, 'below'));
  for (const path of ['file', 'below/new', 'below/sub/new', 'below/file'])
    await expect(saveFiles(folder, [created(path)])).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  expect([await readdir(elsewhere), await readFile(join(elsewhere, 'file'), 'utf8')]).toEqual([
    ['file'],
    'whole',
  ]);
});

test('writes and replaces other files, also hidden ones, below a folder that is a link', async () => {
  const place = await temporaryFolder();
  await mkdir(join(place, 'real'));
  await symlink('real', join(place, 'folder'));
  await writeFile(join(place, 'real/a'), 'before');
  await saveFiles(join(place, 'folder'), [created('a'), created('.github/b'), created('.gitignore')]);
  const texts = await Promise.all(
    ['a', '.github/b', '.gitignore'].map((path) => readFile(join(place, 'real', path), 'utf8')),
  );
  expect(texts).toEqual(['x', 'x', 'x']);
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-save-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
