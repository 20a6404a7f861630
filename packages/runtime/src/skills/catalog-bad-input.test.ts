import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
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

const frontmatter = (yaml: string): string => `---\nname: bad\ndescription: d\n${yaml}\n---\n`;

test.each<[string, string | Buffer, string]>([
  [
    '1 MB',
    frontmatter(`x: ${'y'.repeat(1_000_000)}`),
    'SKILL.md: the frontmatter has 1000028 characters; the limit is 65536. Move long parts into files of the skill',
  ],
  [
    '10,000 keys',
    frontmatter(Array.from({ length: 10_000 }, (_, at) => `k${at.toString(36)}:`).join('\n')),
    'SKILL.md: the frontmatter has more than 5000 YAML tokens (names, values, brackets, commas, line breaks). Shorten it, or move parts of it into files of the skill',
  ],
  [
    'a key that appears twice',
    frontmatter('x: [\nname: good'),
    'SKILL.md: the frontmatter is not YAML: the [ at line 4, column 4 is never closed; add a ]',
  ],
  [
    'metadata in JSON that is too deep',
    frontmatter(`metadata: ${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
    'SKILL.md: the frontmatter is nested more than 64 deep. Flatten it',
  ],
  ['UTF-16', Buffer.from(`\uFEFF${frontmatter('x: y')}`, 'utf16le'), 'SKILL.md is UTF-16; save it as UTF-8'],
])('refuses frontmatter with %s', async (_, text, problem) => {
  expect(await problemOf((bad) => writeFile(join(bad, 'SKILL.md'), text))).toBe(problem);
});

test.each<[string, string, string, number]>([
  ['a line of 60 KB', `x: @${'y'.repeat(60_000)}`, 'd', 2],
  ['a line of 60 KB of blanks', `x: @a${' '.repeat(60_000)}: b`, 'd', 2],
  ['a NUL', 'x: [a] b\0', 'd', 3],
  [
    'metadata in JSON that is too deep in quotes',
    `metadata: '${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}'`,
    'd',
    1,
  ],
  ['a colon below the description', '  e: f', 'd e: f', 2],
])('reads frontmatter that is not YAML with %s', async (_, yaml, description, warnings) => {
  const root = await temporaryFolder();
  await writeFiles(root, { 'bad/SKILL.md': frontmatter(yaml) });
  const [skill] = await folderCatalog([{ path: root, tier: 'local' }]).list();
  expect([skill?.manifest.description, skill?.warnings.length]).toEqual([description, warnings]);
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
