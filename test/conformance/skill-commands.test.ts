// The features of wreckit's skill commands that users rely on: list, validate, index, lint, and merging of
// learned skills.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ambit } from '../support/daemon-process.ts';
import { writeSkills } from '../support/skills.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const skillMd = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: Summarizes meeting notes into decisions. Use when minutes are shared.\n---\n${body}`;

const good = { 'SKILL.md': skillMd('minutes', '# Minutes\n\nList the decisions.\n') };
const poor = { 'SKILL.md': skillMd('long', `${'A line.\n'.repeat(520)}\nTODO: the rest\n`) };
const tool = {
  'SKILL.md': skillMd('count', '# Count\n\nCounts.\n'),
  'ambit.yaml': JSON.stringify({ version: '1.0.0', run: { runtime: 'process', entry: 'scripts/run.py' } }),
  'scripts/run.py': 'print(1)\n',
};

async function skills(folders: Parameters<typeof writeSkills>[1]): Promise<string> {
  const folder = await temporaryFolder();
  await writeSkills(folder, folders);
  return folder;
}

test('lists, indexes and validates skills, with all mistakes together', async () => {
  const folder = await skills({
    minutes: good,
    wrong: { 'ambit.yaml': 'phasess: [plan]\npriority: high\n' },
  });
  const config = join(folder, 'ambit.config.yaml');
  await writeFile(config, 'bundledSkills: false\nskills: [{ path: ., tier: local }]\n');
  const [listed, validated, indexed] = [
    await ambit(['skills', 'list', '--json', '--config', config], { cwd: folder }),
    await ambit(['skills', 'validate', join(folder, 'minutes'), join(folder, 'wrong')]),
    await ambit(['skills', 'index', join(folder, 'minutes')]),
  ];
  expect([listed.code, JSON.parse(listed.stdout).skills?.map(({ id }: { id: string }) => id)]).toEqual([
    0,
    ['minutes'],
  ]);
  expect([
    validated.code,
    /phasess.*phases/.test(validated.stdout),
    /priority/.test(validated.stdout),
  ]).toEqual([3, true, true]);
  expect([indexed.code, JSON.parse(indexed.stdout).skills.length]).toEqual([0, 1]);
});

describe('lint', () => {
  test.each([
    ['length and unfinished parts', { long: poor }, ['body-lines', 'headings-missing', 'placeholder']],
    ['examples of a tool', { count: tool }, ['example-missing']],
    ['nothing, if they are good', { minutes: { ...good, 'ambit.yaml': 'version: 1.0.0\n' } }, []],
  ])('reports %s', async (_, folders, rules) => {
    const { code, stdout } = await ambit(['skills', 'lint', '--json', await skills(folders)]);
    const found = JSON.parse(stdout).folders.flatMap(({ findings }: { findings: { rule: string }[] }) =>
      findings.map(({ rule }) => rule),
    );
    expect([code, [...new Set(found)].toSorted()]).toEqual([0, rules]);
  });
});

describe('merging a learned skill that already exists', () => {
  test.each<[string, string[], string, string]>([
    ['with append: the definition stays and the phases are joined', ['--mode', 'append'], 'Old.', 'plan, pr'],
    ['with replace: the learned skill is used', ['--mode', 'replace'], 'New.', 'pr'],
  ])('merges a learned skill %s', async (_, mode, body, phases) => {
    const into = await skills({
      note: { 'SKILL.md': skillMd('note', 'Old.\n'), 'ambit.yaml': 'phases: [plan]\n' },
    });
    const learned = await skills({
      note: { 'SKILL.md': skillMd('note', 'New.\n'), 'ambit.yaml': 'phases: [pr]\n' },
      fresh: { 'SKILL.md': skillMd('fresh', 'Fresh.\n') },
    });
    const { code } = await ambit(['skills', 'merge', learned, '--into', into, ...mode]);
    const read = (path: string) => readFile(join(into, path), 'utf8');
    expect([
      code,
      (await read('note/SKILL.md')).trimEnd().split('\n').at(-1),
      await read('note/ambit.yaml'),
    ]).toEqual([0, body, `phases: [${phases}]\n`]);
    expect(await read('fresh/SKILL.md')).toMatch(/Fresh\.\n$/);
  });

  test('merges nothing with ask and without a terminal', async () => {
    const old = { 'SKILL.md': skillMd('note', 'Old.\n') };
    const into = await skills({ note: old });
    const learned = await skills({ note: { 'SKILL.md': skillMd('note', 'New.\n') } });
    const { code } = await ambit(['skills', 'merge', learned, '--into', into, '--mode', 'ask']);
    expect(code).not.toBe(0);
    expect(await readFile(join(into, 'note/SKILL.md'), 'utf8')).toBe(old['SKILL.md']);
  });
});
