// The features of iSDLC's skill index on disk that users rely on: descriptions, failing open, and current
// data for each root.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentIndex, composePrompt, selectSkills } from '../../packages/core/src/index.ts';
import { availableSkillsIndex } from '../../packages/core/src/prompt.ts';
import { agentIndexer } from '../../packages/core/src/select.ts';
import { folderCatalog } from '../../packages/runtime/src/index.ts';
import { imported } from './support/imported.ts';
import { skillsOnDisk } from './support/skills-on-disk.ts';

const owned = 'agents: [dev]\n';

async function indexOf(catalog: ReturnType<typeof folderCatalog>, agent: string | null | undefined) {
  return agentIndex({ skills: await catalog.list() }, agent);
}

test('writes an index of a header and two lines per skill, with descriptions from frontmatter or ## Description', async () => {
  const { folder, catalog } = await skillsOnDisk({
    quoted: {
      'SKILL.md': '---\nname: quoted\ndescription: "Writes: code"\n---\n',
      'ambit.yaml': owned,
    },
    'lint-check': {
      'SKILL.md': '# QL-1: lint-check\n\n**Version**: 1\n\n## Description\n\nRuns the linter\n\n## Owner\n',
      'ambit.yaml': owned,
    },
    other: { 'ambit.yaml': 'agents: [other]\n' },
  });
  expect(availableSkillsIndex(await indexOf(catalog, 'dev'))).toBe(
    `AVAILABLE SKILLS (consult when relevant using Read tool):
  lint-check: lint-check — Runs the linter
    → ${folder}/lint-check/SKILL.md
  quoted: quoted — Writes: code
    → ${folder}/quoted/SKILL.md`,
  );
});

test('indexes all twelve Markdown skills of an agent under their ids and names', async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `QL-${index + 1}`);
  const { report, skills } = await imported('isdlc', {
    'skills-manifest.json': JSON.stringify({ ownership: { checker: { phase: 'all', skills: ids } } }),
    ...Object.fromEntries(
      ids.map((id) => [
        `skills/${id}/SKILL.md`,
        `# ${id}: check-${id.toLowerCase()}\n\n## Description\nChecks.\n`,
      ]),
    ),
  });
  const entries = agentIndex({ ...report.settings, skills: [...skills.values()] }, 'checker');
  expect(entries.map(({ id, name }) => [id, name])).toEqual(
    ids.map((id) => [id, `check-${id.toLowerCase()}`]),
  );
  const index = availableSkillsIndex(entries).split('\n');
  expect([index.length, index[1]]).toEqual([25, '  QL-1: check-ql-1 — Checks.']);
});

test('adds external skills to the index after the skills of the manifest', async () => {
  const { report, skills } = await imported('isdlc', {
    'skills-manifest.json': JSON.stringify({ ownership: { coder: { phase: 'all', skills: ['C-1'] } } }),
    'skills/write/SKILL.md': '---\nname: write\ndescription: Writes.\nskill_id: C-1\n---\n',
    'external-skills-manifest.json': JSON.stringify({
      skills: [{ name: 'a-house-rule', file: 'ext/a.md', bindings: { agents: ['coder'] } }],
    }),
    'ext/a.md': '# A house rule\n\nTabs.\n',
  });
  const entries = agentIndex({ ...report.settings, skills: [...skills.values()] }, 'coder');
  expect(entries.map(({ id }) => id)).toEqual(['C-1', 'a-house-rule']);
});

describe('external skills that are always injected', () => {
  test.each([
    [10_000, 'context', '<skill_context>'],
    [10_000, 'instruction', '<skills>'],
    [10_001, 'context', undefined],
    [10_001, 'instruction', undefined],
  ])(
    'injects an external skill only up to 10,000 characters: %i characters as %s',
    async (length, delivery_type, frame) => {
      const bindings = {
        phases: ['06-implementation'],
        agents: ['coder'],
        injection_mode: 'always',
        delivery_type,
      };
      const { skills } = await imported('isdlc', {
        'skills-manifest.json': '{"ownership":{}}',
        'external-skills-manifest.json': JSON.stringify({
          skills: [{ name: 'house', file: 'house.md', bindings }],
        }),
        'house.md': 'x'.repeat(length),
      });
      const selection = selectSkills({ skills: [...skills.values()] }, { agent: 'coder' });
      const { prompt } = composePrompt({ systemPrompt: '', selection });
      expect(/^<skill\w+>/.exec(prompt)?.[0]).toBe(frame);
      expect(prompt.includes('x'.repeat(2000))).toBe(frame !== undefined);
      expect(prompt).toContain('<name>house</name>');
    },
  );
});

describe('failing open', () => {
  test.each([null, undefined, '', '  ', 'nobody'])(
    'returns an empty index for the agent %j',
    async (agent) => {
      const { catalog } = await skillsOnDisk({ code: { 'ambit.yaml': owned } });
      expect(availableSkillsIndex(await indexOf(catalog, agent))).toBe('');
      expect(await indexOf(catalog, 'dev')).toHaveLength(1);
    },
  );

  test('returns an empty index for missing folders', async () => {
    expect(await indexOf(folderCatalog([{ path: '/not/there', tier: 'local' }]), 'dev')).toEqual([]);
  });

  test.each([
    ['SKILL.md', '---\n: [\n---\n'],
    ['ambit.yaml', 'agents: {'],
    ['ambit.yaml', '\0\0'],
  ])('skips a corrupt %s and indexes the other skills: %j', async (file, content) => {
    const { catalog } = await skillsOnDisk({
      broken: { 'ambit.yaml': owned, [file]: content },
      code: { 'ambit.yaml': owned },
    });
    expect((await indexOf(catalog, 'dev')).map(({ id }) => id)).toEqual(['code']);
    expect((await catalog.broken()).map(({ id }) => id)).toEqual(['broken']);
  });
});

test('reads nothing again while nothing changes, shows an edit at the next call, and keeps two roots separate', async () => {
  const [one, two] = [
    await skillsOnDisk({ code: { 'ambit.yaml': owned } }),
    await skillsOnDisk({ code: { 'ambit.yaml': owned }, plan: { 'ambit.yaml': owned } }),
  ];
  const before = await one.catalog.list();
  expect(await one.catalog.list()).toBe(before);
  const index = agentIndexer({ skills: before });
  expect(index('dev')).toEqual(await indexOf(one.catalog, 'dev'));

  await writeFile(join(one.folder, 'code/SKILL.md'), '---\nname: code\ndescription: Now this.\n---\n');
  await mkdir(join(one.folder, 'more'));
  await writeFile(join(one.folder, 'more/SKILL.md'), '---\nname: more\ndescription: New.\n---\n');
  await writeFile(join(one.folder, 'more/ambit.yaml'), owned);
  await rm(join(two.folder, 'plan'), { recursive: true });
  const described = async ({ catalog }: typeof one) =>
    (await indexOf(catalog, 'dev')).map(({ id, description, path }) => [id, description, path]);
  expect(await described(one)).toEqual([
    ['code', 'Now this.', `${one.folder}/code/SKILL.md`],
    ['more', 'New.', `${one.folder}/more/SKILL.md`],
  ]);
  expect(await described(two)).toEqual([['code', 'A skill of a test.', `${two.folder}/code/SKILL.md`]]);
});

test('derives the description of a skill that has none', async () => {
  const { report, skills } = await imported('isdlc', {
    'skills-manifest.json': JSON.stringify({
      ownership: { coder: { phase: 'all', skills: ['C-1', 'C-2'] } },
    }),
    'skills/write/SKILL.md':
      '---\nname: write-code\nskill_id: C-1\n---\n\n# Writing code\n\nIn small steps.\n',
    'skills/test/SKILL.md': '---\nname: test-code\nskill_id: C-2\n---\n',
  });
  const entries = agentIndex({ ...report.settings, skills: [...skills.values()] }, 'coder');
  expect(entries.map(({ id, description }) => [id, description])).toEqual([
    ['C-1', 'Writing code: In small steps.'],
    ['C-2', 'test-code'],
  ]);
});
