import { UsageError } from '@ambit/core/outcome';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { asLoaded, invalid } from '../../testing/as-loaded.ts';
import { readIsdlc } from './read-isdlc.ts';

function read(
  ownership: Readonly<Record<string, readonly string[]>>,
  skills: Readonly<Record<string, string>>,
  external?: { skills: readonly object[]; files: Readonly<Record<string, string>> },
) {
  const owned = Object.entries(ownership).map(([agent, ids]) => [agent, { skills: ids }]);
  return readIsdlc({
    manifest: JSON.stringify({ ownership: Object.fromEntries(owned) }),
    external: external && JSON.stringify({ skills: external.skills }),
    isYaml: false,
    skillFiles: Object.entries(skills).map(([folder, text]) => ({ folder, text, files: [] })),
    readFile: async (path) => {
      const text = external?.files[path];
      if (text === undefined) throw new UsageError('cannot be read: no such file');
      return text;
    },
  });
}

const file = (id: string, name: string, more = '') =>
  `---\nname: ${name}\ndescription: "What ${name} does"\nskill_id: ${id}\nowner: builder\nversion: 1.0.0\n${more}---\n\n# ${name}\n`;

test('imports a skill with its owner, version and requirements, and the rest as metadata', async () => {
  const imported = await read(
    { builder: ['B-2', 'B-1'] },
    {
      'skills/b/one': file('B-1', 'one'),
      'skills/b/two': file(
        'B-2',
        'two',
        'when_to_use: Late, often\ncollaborators: [x, y]\ndependencies: [B-1]\n',
      ),
    },
  );
  expect(imported.skills[1]).toEqual({
    id: 'two',
    skillMd: `---
name: two
description: What two does
metadata:
  when_to_use: Late, often
  collaborators: x, y
  skill-id: B-2
  isdlc-folder: skills/b/two
---

# two
`,
    sidecar: 'version: 1.0.0\nagents:\n  - builder\nrequires:\n  one: "*"\n',
    files: [],
  });
  expect(imported.settings).toEqual({ phases: {}, agents: { builder: { skills: ['two', 'one'] } } });
  expect(imported.lines).toEqual([
    {
      kind: 'changed',
      about: 'when_to_use, collaborators',
      text: 'are not keys of the Agent Skills specification; they are stored as metadata',
    },
  ]);
  expect(invalid(imported)).toEqual([]);
});

const mixed = {
  builder: {
    skills: [
      'B-1',
      { id: 'B-2', name: 'Second thing', path: 'b' },
      { id: 'B-3', name: 'three', path: 'nested/c/SKILL.md', tags: [] },
      { id: 'B-4', path: '../outside' },
      { id: 'B-5', path: '/etc' },
      { name: 'no id' },
      7,
    ],
  },
};

test.each([
  ['JSON', JSON.stringify({ ownership: mixed }), false],
  ['YAML', stringify({ ownership: mixed }), true],
])(
  'reads ids and objects in a manifest of %s, and refuses paths that leave its folder',
  async (_, manifest, isYaml) => {
    const imported = await readIsdlc({
      manifest,
      isYaml,
      external: undefined,
      readFile: async () => '',
      skillFiles: [
        { folder: 'a', text: file('B-1', 'one'), files: [] },
        { folder: 'b', text: '---\nlicense: MIT\n---\n', files: [] },
        { folder: 'skills/nested/c', text: '---\nname: third\ndescription: Third.\n---\n', files: [] },
        { folder: 'd', text: file('B-4', 'four'), files: [] },
      ],
    });
    expect(imported.settings.agents).toEqual({ builder: { skills: ['one', 'b', 'third'] } });
    expect(
      asLoaded(imported).skills.map(({ skill: { id, manifest: read } }) => [
        id,
        read.description,
        read.metadata['skill-id'],
      ]),
    ).toEqual([
      ['b', 'Second thing', 'B-2'],
      ['four', 'What four does', 'B-4'],
      ['one', 'What one does', 'B-1'],
      ['third', 'Third.', 'B-3'],
    ]);
    const form = 'is not a skill: write an id, or a mapping with id, name and path';
    expect(imported.lines.filter(({ kind }) => kind === 'left-out')).toEqual([
      {
        kind: 'left-out',
        about: 'B-4',
        text: "has the path ../outside, which leads out of the manifest's folder",
      },
      { kind: 'left-out', about: 'B-5', text: "has the path /etc, which is outside the manifest's folder" },
      { kind: 'left-out', about: 'ownership.builder.skills.5', text: form },
      { kind: 'left-out', about: 'ownership.builder.skills.6', text: form },
    ]);
  },
);

test('refuses a manifest of YAML that is too long, and names JSON', async () => {
  const skills = Array.from({ length: 10_000 }, (_, at) => ({ id: `B-${at}`, name: `skill ${at}` }));
  const manifest = stringify({ ownership: { builder: { skills } } });
  const source = { manifest, isYaml: true, external: undefined, skillFiles: [], readFile: async () => '' };
  await expect(readIsdlc(source)).rejects.toThrow(
    new UsageError(
      `iSDLC's skills-manifest.yaml has ${manifest.length} characters; the limit is 262144. Write it as JSON`,
    ),
  );
});

test('reads ten thousand skills of one agent', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `B-${at}`);
  const imported = await read({ builder: ids }, { a: file('B-9999', 'last'), b: file('B-0', 'first') });
  expect(imported.settings.agents).toEqual({ builder: { skills: ['first', 'last'] } });
  expect(imported.lines).toHaveLength(9998);
});

test('reports an id without a file, a missing dependency and a cycle, once each', async () => {
  const imported = await read(
    { builder: ['B-1', 'GONE'], other: ['GONE'] },
    {
      a: file('B-1', 'one', 'dependencies: [B-2]\n'),
      b: file('B-2', 'two', 'dependencies: [B-3, B-2]\n'),
      c: file('B-3', 'three', 'dependencies: [B-1, NO-1]\n'),
    },
  );
  expect(asLoaded(imported).skills.map(({ skill }) => [skill.id, skill.sidecar.requires])).toEqual([
    ['one', { two: '*' }],
    ['three', {}],
    ['two', { three: '*' }],
  ]);
  expect(imported.lines).toEqual([
    { kind: 'left-out', about: 'B-2', text: 'depends on B-2, which would make a cycle' },
    { kind: 'left-out', about: 'B-3', text: 'depends on B-1, which would make a cycle' },
    { kind: 'left-out', about: 'B-3', text: 'depends on NO-1, which does not exist' },
    { kind: 'left-out', about: 'GONE', text: 'is owned by builder, other, but no SKILL.md has this id' },
  ]);
});

test("prefers the manifest's owner of a skill to its file's", async () => {
  const imported = await read({ tester: ['B-1'] }, { a: file('B-1', 'one'), b: file('B-2', 'two') });
  expect(asLoaded(imported).skills.map(({ skill }) => [skill.id, skill.sidecar.agents])).toEqual([
    ['one', ['tester']],
    ['two', ['builder']],
  ]);
  expect(imported.lines).toEqual([
    {
      kind: 'changed',
      about: 'B-1',
      text: 'names builder as its owner; the manifest names tester, which wins',
    },
  ]);
});

test('imports an external skill with its bindings', async () => {
  const bindings = {
    phases: ['06-Build'],
    agents: ['builder'],
    injection_mode: 'always',
    delivery_type: 'context',
  };
  const imported = await read(
    {},
    {},
    {
      skills: [
        { name: 'nestjs', file: 'nestjs.md', bindings },
        { name: 'All Of It', file: 'all.md', bindings: { phases: ['all'], agents: ['all'] } },
        { name: 'gone', file: '../gone.md' },
        { name: 'odd', file: 'all.md', bindings: { injection_mode: 'sometimes' } },
      ],
      files: { 'nestjs.md': '# Nest\n\nModules first.\n', 'all.md': '---\ndescription: Everything\n---\nx' },
    },
  );
  expect(
    asLoaded(imported).skills.map(({ skill }) => [skill.id, skill.manifest.description, skill.sidecar]),
  ).toMatchObject([
    [
      'all-of-it',
      'Everything',
      { phases: [], agents: [], injection: { mode: 'on-demand', delivery: 'instruction' } },
    ],
    [
      'nestjs',
      'Nest: Modules first.',
      { phases: ['06-build'], agents: ['builder'], injection: { mode: 'always', delivery: 'context' } },
    ],
  ]);
  expect(imported.lines.filter(({ kind }) => kind === 'left-out').map(({ about }) => about)).toEqual([
    'external skills.3',
    'gone',
  ]);
});

test.each(['{', '{}', '{"ownership": []}'])('refuses the whole manifest %s', async (manifest) => {
  const source = { manifest, isYaml: false, external: undefined, skillFiles: [], readFile: async () => '' };
  await expect(readIsdlc(source)).rejects.toThrow(UsageError);
});
