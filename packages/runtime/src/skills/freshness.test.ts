import { appendFileSync } from 'node:fs';
import { appendFile, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { writeFiles } from '../testing/skill-on-disk.ts';
import { skillMd } from '../testing/skill-text.ts';
import { readSkillFolder } from './folder/read-skill-folder.ts';
import { freshness } from './freshness.ts';
import type { NamedSkill } from './snapshot.ts';

/** More than the blocking check handles. */
const manyFiles = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`assets/${n}.txt`, 'x']));

/** A skill that was just read and detects every further edit. */
async function freshSkill(files: Readonly<Record<string, string>> = {}): Promise<NamedSkill> {
  const root = join(await realpath(await temporaryFolder()), 'one');
  await writeFiles(root, { 'SKILL.md': skillMd('one'), 'scripts/run.sh': 'true\n', ...files });
  // Makes edits within the same clock tick detectable.
  for (const folder of [root, join(root, 'scripts')]) await utimes(folder, 0, 0);
  return { ...(await readSkillFolder(root, 'local')), settled: true, foundAt: root };
}

const edits: [string, (root: string) => Promise<unknown>][] = [
  ['a file grows', (root) => appendFile(join(root, 'SKILL.md'), 'more')],
  ['a file is added', (root) => writeFile(join(root, 'scripts/new.sh'), '')],
  ['a file is removed', (root) => rm(join(root, 'scripts/run.sh'))],
  [
    'a file is replaced',
    async (root) => {
      await writeFile(`${root}.new`, 'true\n');
      await rename(`${root}.new`, join(root, 'scripts/run.sh'));
    },
  ],
  ['a subfolder is renamed', (root) => rename(join(root, 'scripts'), join(root, 'assets-2'))],
  ['the folder is removed', (root) => rm(root, { recursive: true })],
];

describe.each([
  ['few', {}],
  ['many', manyFiles],
])('a skill with %s files', (_, files) => {
  test('stays current while its folder is unchanged', async () => {
    const [isCurrent, skill] = [freshness(), await freshSkill(files)];
    for (let count = 0; count < 3; count += 1) expect(await isCurrent(skill)).toBe(true);
  });

  test.each(edits)('is outdated when %s, at the first check and at a later one', async (_, edit) => {
    const [first, later] = [await freshSkill(files), await freshSkill(files)];
    const isCurrent = freshness();
    await edit(first.skill.root);
    expect([await isCurrent(first), await isCurrent(later)]).toEqual([false, true]);
    await edit(later.skill.root);
    expect([await isCurrent(first), await isCurrent(later)]).toEqual([false, false]);
  });

  test('is outdated when a link on its path has a new target', async () => {
    const [read, other] = [await freshSkill(files), await freshSkill(files)];
    const foundAt = join(await temporaryFolder(), 'link');
    await symlink(read.skill.root, foundAt);
    const [isCurrent, skill] = [freshness(), { ...read, foundAt }];
    expect(await isCurrent(skill)).toBe(true);
    await rm(foundAt);
    await symlink(other.skill.root, foundAt);
    expect([await isCurrent(skill), await isCurrent(read)]).toEqual([false, true]);
  });
});

test('never calls a skill current whose next edit might be undetectable', async () => {
  const [isCurrent, skill] = [freshness(), await freshSkill()];
  expect(await isCurrent({ ...skill, settled: false })).toBe(false);
  expect(await isCurrent(skill)).toBe(true);
});

test('gives all callers during a check the next one, which starts after it', async () => {
  const [isCurrent, skill] = [freshness(), await freshSkill()];
  const first = isCurrent(skill);
  appendFileSync(join(skill.skill.root, 'SKILL.md'), 'more');
  const [second, third] = [isCurrent(skill), isCurrent(skill)];
  expect([second === first, third === second]).toEqual([false, true]);
  await first;
  expect(await second).toBe(false);
});
