import { UsageError } from '@ambit/core/outcome';
import { expect, test } from 'vitest';
import { asLoaded } from '../testing/as-loaded.ts';
import { readAgentium } from './read-agentium.ts';
import { textBelowFrontmatter } from './skill/skill-text.ts';

function read(manifest: string, files: Readonly<Record<string, string>> = {}) {
  return readAgentium(manifest, async (path) => {
    const text = files[path];
    if (text === undefined) throw new UsageError('cannot be read: no such file');
    return text;
  });
}

test.each([
  '',
  '\n\n  text',
  '---\nname: x\n---\nbody',
  '\uFEFF# a\r\nb\r\n',
  'no end of line',
  '---',
  'a\n---\nb\n',
])('writes the body %j unchanged below the frontmatter', async (text) => {
  const { skills } = await read('skills: [{ name: a, file: a.md }]', { 'a.md': text });
  expect(textBelowFrontmatter(skills[0]?.skillMd ?? '')).toBe(text);
});

test('reads absent phases as every phase, but never a list of invalid phases', async () => {
  const imported = await read(
    `skills:
  - { name: a, file: a.md, phases: [] }
  - { name: b, file: a.md }
  - { name: c, file: a.md, phases: null, priority: null }
  - { name: d, file: a.md, phases: [''] }
`,
    { 'a.md': 'text' },
  );
  expect(
    asLoaded(imported).skills.map(({ skill }) => [skill.id, skill.sidecar.phases, skill.sidecar.priority]),
  ).toEqual([
    ['a', [], 0],
    ['b', [], 0],
    ['c', [], 0],
    ['d', ['on-request'], 0],
  ]);
});

test.each([
  [
    '# PR\n\nUse pr_creation and `_private` and _this_ or **that**.',
    'PR: Use pr_creation and _private and this or that.',
  ],
  ['Set MAX_SIZE_BYTES__ or __now__.', 'Set MAX_SIZE_BYTES or now.'],
])('describes %j without its markup, and keeps underscores inside words', async (text, description) => {
  const { skills } = asLoaded(await read('skills: [{ name: a, file: a.md }]', { 'a.md': text }));
  expect(skills[0]?.skill.manifest.description).toBe(description);
});

test('reports a version that is not semantic, and stores it with the version of the manifest', async () => {
  const imported = await read(
    'version: 2\nskills: [{ name: a, file: a.md, version: 1.2.0, phases: [plan] }, { name: b, file: a.md, version: next }]',
    { 'a.md': 'text' },
  );
  expect(imported.lines).toEqual([
    {
      kind: 'changed',
      about: 'b',
      text: 'has the version next, which is not a version such as 1.2.0; it is stored as metadata',
    },
    {
      kind: 'changed',
      about: 'the phases',
      text: 'get tools: all, every tool of the agent, because agentium has no lists of tools; any other phase has no tools',
    },
  ]);
  expect(
    asLoaded(imported).skills.map(({ skill: { sidecar, manifest } }) => [sidecar.version, manifest.metadata]),
  ).toEqual([
    ['1.2.0', { 'agentium-name': 'a', 'agentium-file': 'a.md', 'agentium-manifest-version': '2' }],
    [
      undefined,
      {
        'agentium-name': 'b',
        'agentium-file': 'a.md',
        'agentium-version': 'next',
        'agentium-manifest-version': '2',
      },
    ],
  ]);
});

test('reports a missing file, a duplicate name and an invalid entry', async () => {
  const { skills, lines } = await read(
    'skills: [{ name: a, file: gone.md }, { name: b, file: b.md }, { name: b, file: b.md }, { name: c }, 7]',
    { 'b.md': '# B' },
  );
  expect(skills.map(({ id }) => id)).toEqual(['b']);
  expect(lines.at(-1)).toEqual({
    kind: 'to-do',
    about: 'the skills',
    text: 'name no phase, and a phase that is not configured has no tools; add your phases to the configuration, with tools: all or a list',
  });
  expect(lines.slice(0, -1)).toEqual([
    { kind: 'left-out', about: 'b', text: 'is listed twice; skills.2 is ignored' },
    {
      kind: 'left-out',
      about: 'skills.3',
      text: 'is not a skill: file is missing; write a string',
    },
    {
      kind: 'left-out',
      about: 'skills.4',
      text: 'is not a skill: the document: write a mapping, not a number',
    },
    {
      kind: 'left-out',
      about: 'a',
      text: 'names the file "gone.md", which cannot be read: no such file'.replaceAll('"', ''),
    },
  ]);
});

test.each(['a: [', 'skills: 7', '', '&a [*a]'])('refuses the whole manifest %j', async (manifest) => {
  await expect(read(manifest)).rejects.toThrow(UsageError);
});
