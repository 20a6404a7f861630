import { appendFileSync } from 'node:fs';
import { appendFile, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { freshness } from './freshness.ts';
import { readSkillFolder } from './read-skill-folder.ts';
import type { NamedSkill } from './snapshot.ts';

/** More than are looked at without waiting for one's turn. */
const manyFiles = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`assets/${n}.txt`, 'x']));

/** A skill that was just read, and could show each further edit. */
async function standing(files: Readonly<Record<string, string>> = {}): Promise<NamedSkill> {
  const root = join(await realpath(await temporaryFolder()), 'one');
  await writeFiles(root, { 'SKILL.md': skillMd('one'), 'scripts/run.sh': 'true\n', ...files });
  // So that what is done to them within the same tick of the clock shows.
  for (const folder of [root, join(root, 'scripts')]) await utimes(folder, 0, 0);
  return { ...(await readSkillFolder(root, 'local')), settled: true, place: root };
}

const edits: [string, (root: string) => Promise<unknown>][] = [
  ['a file is longer', (root) => appendFile(join(root, 'SKILL.md'), 'more')],
  ['a file comes', (root) => writeFile(join(root, 'scripts/new.sh'), '')],
  ['a file goes', (root) => rm(join(root, 'scripts/run.sh'))],
  [
    'another file takes the place of one',
    async (root) => {
      await writeFile(`${root}.new`, 'true\n');
      await rename(`${root}.new`, join(root, 'scripts/run.sh'));
    },
  ],
  ['a folder within has another name', (root) => rename(join(root, 'scripts'), join(root, 'assets-2'))],
  ['the folder is gone', (root) => rm(root, { recursive: true })],
];

describe.each([
  ['few', {}],
  ['many', manyFiles],
])('a skill of %s files', (_, files) => {
  test('is as it was for as long as nothing happens to its folder', async () => {
    const [isCurrent, skill] = [freshness(), await standing(files)];
    for (let count = 0; count < 3; count += 1) expect(await isCurrent(skill)).toBe(true);
  });

  test.each(edits)('is not when %s, at the first look and at a later one', async (_, edit) => {
    const [first, later] = [await standing(files), await standing(files)];
    const isCurrent = freshness();
    await edit(first.skill.root);
    expect([await isCurrent(first), await isCurrent(later)]).toEqual([false, true]);
    await edit(later.skill.root);
    expect([await isCurrent(first), await isCurrent(later)]).toEqual([false, false]);
  });

  test('is not when a link on the way leads elsewhere by now', async () => {
    const [read, other] = [await standing(files), await standing(files)];
    const place = join(await temporaryFolder(), 'link');
    await symlink(read.skill.root, place);
    const [isCurrent, skill] = [freshness(), { ...read, place }];
    expect(await isCurrent(skill)).toBe(true);
    await rm(place);
    await symlink(other.skill.root, place);
    expect([await isCurrent(skill), await isCurrent(read)]).toEqual([false, true]);
  });
});

test('one whose next edit might not show is never taken for as it was', async () => {
  const [isCurrent, skill] = [freshness(), await standing()];
  expect(await isCurrent({ ...skill, settled: false })).toBe(false);
  expect(await isCurrent(skill)).toBe(true);
});

test('who asks during a look gets one that begins after that, together with all others who do', async () => {
  const [isCurrent, skill] = [freshness(), await standing()];
  const first = isCurrent(skill);
  appendFileSync(join(skill.skill.root, 'SKILL.md'), 'more');
  const [second, third] = [isCurrent(skill), isCurrent(skill)];
  expect([second === first, third === second]).toEqual([false, true]);
  await first;
  expect(await second).toBe(false);
});
