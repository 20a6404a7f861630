import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { saveFiles } from './workspace-files.ts';

const created = (path: string) => ({ path, change: 'created' as const, bytes: 1, content: Buffer.from('x') });

test.each(['.git/config', 'sub/.GIT/hooks/x', '.g\u200cit/config', '.ambit/keys.json'])(
  'writes nothing of a run that left %s, which would have programs of the user run or add keys',
  async (path) => {
    const folder = await temporaryFolder();
    await expect(saveFiles(folder, [created('a'), created(path)])).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: `${path} is not saved: files of .git and .ambit decide what runs on this machine`,
    });
    expect(await readdir(folder)).toEqual([]);
  },
);

test('writes nothing through a link in the folder, neither to a file nor below one to a folder', async () => {
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

test('writes and replaces other files, also hidden ones, below a folder that is reached by a link', async () => {
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
