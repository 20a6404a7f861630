import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { folderCatalog } from './folder-catalog.ts';

/** The problem reported for the folder `bad`. A valid folder beside it must stay listed. */
async function problemOf(make: (bad: string) => Promise<unknown>): Promise<string | undefined> {
  const root = await temporaryFolder();
  await writeFiles(root, { 'good/SKILL.md': skillMd('good') });
  await mkdir(join(root, 'bad'));
  await make(join(root, 'bad'));
  const catalog = folderCatalog([{ path: root, tier: 'local' }]);
  expect((await catalog.list()).map(({ id }) => id)).toEqual(['good']);
  const broken = await catalog.broken();
  expect(broken.map(({ id }) => id)).toEqual(['bad']);
  return broken[0]?.problem;
}

test('refuses a SKILL.md of 10 MB by its size', async () => {
  const text = skillMd('bad') + 'x'.repeat(10_000_000);
  expect(await problemOf((bad) => writeFiles(bad, { 'SKILL.md': text }))).toBe(
    `SKILL.md has ${text.length} bytes, more than the 1048576 that are read. Move long parts into references/`,
  );
});

test('refuses a SKILL.md that is a folder', async () => {
  expect(await problemOf((bad) => writeFiles(bad, { 'SKILL.md/x': 'x' }))).toBe(
    'SKILL.md is not a regular file; links are not followed',
  );
});

test.each(['SKILL.md', 'pipe'])('does not wait for a writer of a FIFO named %s', async (name) => {
  const problem = await problemOf(async (bad) => {
    if (name !== 'SKILL.md') await writeFiles(bad, { 'SKILL.md': skillMd('bad') });
    execFileSync('mkfifo', [join(bad, name)]);
  });
  expect(problem).toBe(`the folder contains "${name}", which is not a regular file`);
});

test('refuses a folder with one file more than ten thousand', async () => {
  const problem = await problemOf(async (bad) => {
    await writeFiles(bad, { 'SKILL.md': skillMd('bad'), 'data/0': '' });
    // Links, because making files takes longer.
    for (let at = 1; at < 10_000; at++) linkSync(join(bad, 'data/0'), join(bad, `data/${at}`));
  });
  expect(problem).toBe('the folder has more than 10000 files');
});

test('reports broken YAML with the position of its first error', async () => {
  const problem = await problemOf((bad) =>
    writeFiles(bad, { 'SKILL.md': '---\nname: bad\nname: [bad\n---\n' }),
  );
  expect(problem).toBe(
    'SKILL.md: the frontmatter is not YAML: a key appears twice; merge the two at line 3, column 1',
  );
});

test('reports an unreadable folder', async () => {
  const root = await temporaryFolder();
  await chmod(root, 0o755);
  await writeFiles(root, { 'bad/SKILL.md': skillMd('bad'), 'good/SKILL.md': skillMd('good') });
  // Root can read every file, so the child process becomes another user.
  const isRoot = process.getuid?.() === 0;
  await chmod(join(root, 'bad'), isRoot ? 0o700 : 0o000);
  onTestFinished(() => chmod(join(root, 'bad'), 0o700));
  const program = `
    if (${isRoot}) process.setuid(65534);
    const catalog = folderCatalog([{ path: ${JSON.stringify(root)}, tier: 'local' }]);
    console.log(JSON.stringify([(await catalog.list()).map(({ id }) => id), await catalog.broken()]));`;
  const module = pathToFileURL(join(import.meta.dirname, 'folder-catalog.ts')).href;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', `import { folderCatalog } from ${JSON.stringify(module)};${program}`],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const [ids, broken] = JSON.parse(stdout);
  expect(ids).toEqual(['good']);
  expect(broken).toEqual([
    {
      id: 'bad',
      root: join(root, 'bad'),
      problem: expect.stringMatching(/^it cannot be read: EACCES: permission denied/),
    },
  ]);
});
