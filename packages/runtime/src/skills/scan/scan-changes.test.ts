import { rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { writeFiles } from '../../testing/skill-on-disk.ts';
import { skillMd } from '../../testing/skill-text.ts';
import { blockingDisk, type Disk } from '../folder/disk.ts';
import { settledSignature } from '../folder/load-skill-folder.ts';
import type { ScanChanges } from './scan-changes.ts';
import { localScanner } from './scanner.ts';
import type { SkillRoot } from './skill-root.ts';

/**
 * Counts the calls to the real disk. Its clock is a minute ahead of the files' times, so those are
 * settled.
 */
function countingDisk(aheadMs = 60_000) {
  const counts = { opened: 0, listed: 0 };
  const disk: Disk = {
    ...blockingDisk,
    open: (path) => {
      counts.opened += 1;
      return blockingDisk.open(path);
    },
    names: (path, stats) => {
      counts.listed += 1;
      return blockingDisk.names(path, stats);
    },
    now: () => Date.now() + aheadMs,
  };
  return { counts, disk };
}

async function collection() {
  const root = await temporaryFolder();
  await writeFiles(root, {
    'a/SKILL.md': skillMd('a'),
    'a/scripts/run.py': 'print(1)',
    'group/b/SKILL.md': skillMd('b'),
    'group/b/ambit.yaml': 'priority: 1',
  });
  return { root, roots: [{ path: root, tier: 'local' as const }] };
}

/** Surveys like a catalog, which reads what is stale and passes the signatures to the next survey. */
function surveying(roots: readonly SkillRoot[], disk: Disk): () => Promise<ScanChanges> {
  const scanner = localScanner(roots, disk);
  let signatures: string[] = [];
  return async () => {
    const survey = await scanner.survey(signatures);
    const loaded = await scanner.read(survey.stale.map((root) => ({ root, tier: 'local' })));
    signatures = loaded.map(settledSignature).filter((signature) => signature !== undefined);
    return survey;
  };
}

test('opens no file, lists no folder and finds nothing to read in a second survey', async () => {
  const { root, roots } = await collection();
  const { counts, disk } = countingDisk();
  const survey = surveying(roots, disk);
  expect((await survey()).stale).toEqual([join(root, 'a'), join(root, 'group/b')]);
  expect(counts).toEqual({ opened: 4, listed: 5 });
  Object.assign(counts, { opened: 0, listed: 0 });
  expect(await survey()).toEqual({ stale: [] });
  expect(counts).toEqual({ opened: 0, listed: 0 });
});

test('reports changed folders as stale and no others', async () => {
  const { root, roots } = await collection();
  const survey = surveying(roots, countingDisk().disk);
  await survey();
  const file = join(root, 'a/scripts/run.py');
  const { atime, mtime } = await stat(file);
  await writeFile(file, 'print(2)');
  await utimes(file, atime, mtime);
  expect(await survey()).toEqual({ stale: [join(root, 'a')] });
  await writeFiles(root, { 'group/b/more': '' });
  expect(await survey()).toEqual({ stale: [join(root, 'group/b')] });
  expect(await survey()).toEqual({ stale: [] });
});

test('reports a new layout when a folder is added, moved or removed', async () => {
  const { root, roots } = await collection();
  const survey = surveying(roots, countingDisk().disk);
  const places = async () => (await survey()).layout?.folders.map(({ foundAt }) => foundAt);
  await survey();
  await rename(join(root, 'a'), join(root, 'group/a'));
  expect(await places()).toEqual([join(root, 'group/a'), join(root, 'group/b')]);
  await rm(join(root, 'group/b'), { recursive: true });
  expect(await places()).toEqual([join(root, 'group/a')]);
  expect(await places()).toBeUndefined();
});

test('does not read an unusable folder again until it changes', async () => {
  const { root, roots } = await collection();
  await writeFiles(root, { 'a/SKILL.md': '---\n---\n' });
  const survey = surveying(roots, countingDisk().disk);
  expect((await survey()).stale).toContain(join(root, 'a'));
  expect(await survey()).toEqual({ stale: [] });
  await writeFiles(root, { 'a/SKILL.md': skillMd('a') });
  expect(await survey()).toEqual({ stale: [join(root, 'a')] });
});

test('reports a folder as stale again until its signature was passed on', async () => {
  const { root, roots } = await collection();
  const { survey } = localScanner(roots, countingDisk().disk);
  const both = [join(root, 'a'), join(root, 'group/b')];
  expect((await survey([])).stale).toEqual(both);
  expect((await survey(['not a signature', `${both[0]}\0with\0two\0lines\n`])).stale).toEqual(both);
});

test('reports a folder as stale once more just after an edit, when its times are not reliable', async () => {
  const { root, roots } = await collection();
  const old = new Date(Date.now() - 3_600_000);
  await utimes(join(root, 'a/SKILL.md'), old, old);
  let aheadMs = -60_000;
  const survey = surveying(roots, { ...blockingDisk, now: () => Date.now() + aheadMs });
  const both = [join(root, 'a'), join(root, 'group/b')];
  expect((await survey()).stale).toEqual(both);
  expect((await survey()).stale).toEqual(both);
  aheadMs = 60_000;
  expect((await survey()).stale).toEqual(both);
  expect((await survey()).stale).toEqual([]);
});

test('reports a folder that vanishes between survey and reading, and reads the others', async () => {
  const { root, roots } = await collection();
  const scanner = localScanner(roots, blockingDisk);
  const { stale } = await scanner.survey([]);
  await rm(join(root, 'a'), { recursive: true });
  const [a, b] = await scanner.read(stale.map((path) => ({ root: path, tier: 'local' })));
  expect(a).toMatchObject({
    broken: { id: 'a', problem: expect.stringMatching(/^it cannot be read: ENOENT/) },
  });
  expect(b).toMatchObject({ read: { skill: { id: 'b' } } });
});

test('skips a file that vanishes while its folder is read, if the folder is valid without it', async () => {
  const { root, roots } = await collection();
  await writeFiles(root, { 'a/SKILL.md.tmp': 'x' });
  const gone: string[] = [];
  const disk: Disk = {
    ...blockingDisk,
    async open(path) {
      // Like an editor that saves to another name first.
      if (gone.push(path) === 1) await rm(join(root, 'a/SKILL.md.tmp'));
      return blockingDisk.open(path);
    },
  };
  const [a] = await localScanner(roots, disk).read([{ root: join(root, 'a'), tier: 'local' }]);
  expect(a).toMatchObject({ read: { skill: { files: [{ path: 'SKILL.md' }, { path: 'scripts/run.py' }] } } });
});

test('stops searching a root at its limit and reports that', async () => {
  const { root, roots } = await collection();
  const survey = (folders: number) => localScanner(roots, blockingDisk, { depth: 4, folders }).survey([]);
  expect((await survey(4)).layout).toMatchObject({ complete: true, problems: [] });
  const { layout } = await survey(3);
  expect(layout?.folders.map(({ root: folder }) => folder)).toEqual([join(root, 'a')]);
  expect(layout).toMatchObject({
    complete: false,
    problems: [
      {
        root,
        problem:
          'more than 3 folders are below it; the rest are not searched. Configure folders further down as roots',
      },
    ],
  });
});
