import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { folderCatalog } from '@ambit/runtime';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { type ImportReport, importSkills } from '../import-skills.ts';

const file = (name: string, more: object = {}) =>
  JSON.stringify({ schema_version: 1, name, phase: 'plan', description: `What ${name} does.`, ...more });

const document = (id: string) => ({
  phase_skills: { plan: [id] },
  skills: [{ id, name: id, description: `What ${id} does.`, tools: ['Read'] }],
});

async function imported(files: Readonly<Record<string, string>>, at = '.') {
  const from = await temporaryFolder(files);
  const out = join(await temporaryFolder(), 'out');
  const report = await importSkills({ kind: 'wreckit', from: join(from, at), out });
  const catalog = folderCatalog([{ path: out, tier: 'local' }]);
  expect(await catalog.broken()).toEqual([]);
  const skills = new Map((await catalog.list()).map((skill) => [skill.id, skill]));
  return { report, skills, lines: linesOf(report) };
}

function linesOf({ lines }: ImportReport): string[] {
  return lines.map(({ kind, about, text }) => `${kind} ${about} ${text}`);
}

const folder = {
  '.wreckit/skills/index.json': JSON.stringify({
    schema_version: 1,
    last_updated: '2026-01-01',
    skills: [
      { name: 'tdd', phase: 'implement', path: '.wreckit/skills/implement/tdd.json', tags: ['tests'] },
      { name: 'errors', phase: 'implement', path: 'implement/errors.md', tags: [], version: '1.2.0' },
      { name: 'gone', phase: 'implement', path: 'implement/gone.json', tags: [] },
      { name: 'stories', phase: 'plan', path: 'plan/stories.json', tags: ['late'], version: 'two' },
    ],
  }),
  '.wreckit/skills/implement/tdd.json': file('tdd', {
    phase: 'implement',
    content: '# Test first\n\nThen code.\n',
    required_tools: ['Read', 'Bash'],
    depends_on_skills: ['errors', 'ghost'],
  }),
  '.wreckit/skills/implement/errors.json': file('errors', { phase: 'implement' }),
  '.wreckit/skills/implement/errors.md': '# Errors\n',
  '.wreckit/skills/implement/stories.json': file('stories', { content: 'As a developer.' }),
  '.wreckit/skills/plan/errors.json': file('errors', { content: '# Errors\n', version: '1.2.0', tags: [] }),
  '.wreckit/skills/plan/stories.json': file('stories', { content: 'As a user.', tags: ['early'] }),
  '.wreckit/skills/plan/broken.json': '{',
  '.wreckit/skills/plan/empty.json': '{}',
};

test.each(['.', '.wreckit', '.wreckit/skills', '.wreckit/skills/index.json'])(
  'imports a folder of skills from %s, in the order of its index',
  async (at) => {
    const { report, skills, lines } = await imported(folder, at);
    expect(report.written).toEqual(['tdd', 'errors', 'stories', 'implement-stories']);
    const shown = [...skills.values()].map(({ id, body, sidecar }) => [
      ...[id, body, sidecar.phases, sidecar.tools, sidecar.tags, sidecar.version, sidecar.requires],
    ]);
    expect(shown).toEqual([
      ['errors', '# Errors', ['implement', 'plan'], undefined, [], '1.2.0', {}],
      ['implement-stories', 'As a developer.', ['implement'], undefined, [], undefined, {}],
      ['stories', 'As a user.', ['plan'], undefined, ['early'], undefined, {}],
      [
        'tdd',
        '# Test first\n\nThen code.',
        ['implement'],
        ['Read', 'Bash'],
        ['tests'],
        undefined,
        { errors: '*' },
      ],
    ]);
    expect(report.settings.phases['implement']?.skills).toEqual(['tdd', 'errors', 'implement-stories']);
    expect(lines).toEqual([
      'left-out implement/gone.json is in index.json, but no such file exists',
      'changed implement/stories.json names the phase plan; it gets the phase of its folder',
      expect.stringMatching(/^left-out plan\/broken\.json is not JSON: /),
      'left-out plan/empty.json is not a skill: name is missing; write a string',
      'left-out plan/empty.json is not a skill: description is missing; write a string',
      'changed implement/stories.json differs from another skill with the name stories; it is imported as implement-stories',
      'left-out tdd depends on ghost, which does not exist',
      'changed stories has the version two, which is not a version such as 1.2.0; it is stored as metadata',
    ]);
  },
);

test.each([
  ['text that is not JSON', '{', /^left-out index\.json is ignored, and the skills come from their files: /],
  [
    'a document without skills',
    '[]',
    /^left-out index\.json is ignored, and .*: the document: write a mapping/,
  ],
  [
    'an entry without a name',
    '{"skills":[{"phase":"plan"}]}',
    /^left-out index\.json is ignored, and .*: skills\.0\.name is missing/,
  ],
])('imports the files if index.json is %s', async (_, index, line) => {
  const { report, lines } = await imported({
    '.wreckit/skills/index.json': index,
    '.wreckit/skills/plan/b.json': file('b'),
    '.wreckit/skills/plan/a.json': file('a'),
  });
  expect([report.written, lines]).toEqual([['a', 'b'], [expect.stringMatching(line)]]);
});

test('imports skills from config.json and all forms together, and each id once', async () => {
  const config = (id: string) =>
    JSON.stringify({ schema_version: 1, merge_mode: 'pr', skills: document(id) });
  const alone = await imported({ 'config.json': config('own') }, 'config.json');
  expect([alone.report.written, alone.report.settings.phases['plan']?.skills, alone.lines]).toEqual([
    ['own'],
    ['own'],
    [],
  ]);
  const both = await imported({
    '.wreckit/config.json': config('first'),
    '.wreckit/skills/plan/first.json': file('first'),
    '.wreckit/skills/plan/second.json': file('second'),
    'config.json': '{"skills":{"theme":"dark"}}',
  });
  expect([both.report.written, both.report.settings.phases['plan']?.skills, both.lines]).toEqual([
    ['first', 'second'],
    ['first', 'second'],
    ['left-out first is also in another file; only the first is imported'],
  ]);
});

test('reads no file outside of the folder of skills, and refuses a place without skills', async () => {
  const outside = await temporaryFolder({ 'x.json': file('x'), 'a.md': 'secret' });
  const from = await temporaryFolder({ '.wreckit/skills/plan/a.json': file('a'), 'none/config.json': '{}' });
  await symlink(join(outside, 'x.json'), join(from, '.wreckit/skills/plan/x.json'));
  await symlink(join(outside, 'a.md'), join(from, '.wreckit/skills/plan/a.md'));
  const out = join(await temporaryFolder(), 'out');
  const report = await importSkills({ kind: 'wreckit', from, out });
  expect(report.written).toEqual(['a']);
  const [skill] = await folderCatalog([{ path: out, tier: 'local' }]).list();
  expect(skill?.body).toBe('# a\n\nWhat a does.');
  await expect(importSkills({ kind: 'wreckit', from: join(from, 'none'), out })).rejects.toThrow(
    `${join(from, 'none')} and its .wreckit contain no skills.json, no config.json with skills and no skills/index.json`,
  );
});
