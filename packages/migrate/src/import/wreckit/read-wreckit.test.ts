import { UsageError } from '@ambit/core/outcome';
import { expect, test } from 'vitest';
import { asLoaded, invalid } from '../../testing/as-loaded.ts';
import { readWreckit } from './read-wreckit.ts';

const skill = (id: string, more: object = {}) => ({
  id,
  name: id,
  description: `What ${id} does.`,
  tools: [],
  ...more,
});
const read = (phase_skills: object, ...skills: object[]) =>
  readWreckit(JSON.stringify({ phase_skills, skills }));

test('converts a skill to a folder, with phases from the mapping', () => {
  const imported = read(
    { plan: ['story-map'], pr: ['story-map'] },
    skill('story-map', {
      name: 'Story Map',
      tools: ['Read', 'Grep', 'Read'],
      required_context: [
        { type: 'git_status', description: 'what changed' },
        { type: 'file', path: 'docs/' },
        { type: 'phase_artifact', path: 'plan.md' },
        { type: 'item_metadata' },
      ],
    }),
  );
  expect(imported.skills).toEqual([
    {
      id: 'story-map',
      skillMd: `---
name: story-map
description: What story-map does.
metadata:
  title: Story Map
---

# Story Map

What story-map does.

## Tools

- Read
- Grep

## Context

- git status: what changed
- file docs/
- phase artifact plan.md
- item metadata
`,
      sidecar: `phases:
  - plan
  - pr
tools:
  - Read
  - Grep
context:
  - type: git_status
    description: what changed
  - type: file
    path: docs/
  - type: phase_artifact
    path: plan.md
  - type: item_metadata
`,
      files: [],
    },
  ]);
  expect(imported.lines).toEqual([]);
});

test('imports a list of MCP servers by name, and reports servers that cannot be started', () => {
  const { lines, skills } = read(
    { plan: ['a'] },
    skill('a', {
      mcp_servers: [{ name: 'db', command: 'db' }, 'web', { command: 'x' }, { name: 'db', url: 'u' }],
    }),
  );
  expect(skills[0]?.sidecar).toContain('mcpServers:\n  db:\n    command: db\n');
  const leftOut = (text: string) => ({ kind: 'left-out', about: 'a', text });
  expect(lines).toEqual([
    leftOut(
      'was imported without the MCP server web, which has only a name; add it under mcpServers in its ambit.yaml',
    ),
    leftOut(
      'was imported without mcp_servers.2, which has no name; add it under mcpServers in its ambit.yaml',
    ),
    leftOut(
      'was imported without the MCP server db, which is listed twice; add it under mcpServers in its ambit.yaml',
    ),
  ]);
});

test('ignores and reports an unknown key, and leaves out an incomplete skill', () => {
  const { skills, lines } = read({ plan: ['a', 'b'] }, skill('a', { tols: [] }), {
    ...skill('b'),
    tools: undefined,
    tols: [],
  });
  expect(skills.map(({ id }) => id)).toEqual(['a']);
  expect(lines).toEqual([
    {
      kind: 'changed',
      about: 'a',
      text: 'is imported, ignoring unknown field "tols" (did you mean tools?)',
    },
    {
      kind: 'left-out',
      about: 'b',
      text: 'is not a skill: tools is missing; write a list',
    },
    {
      kind: 'left-out',
      about: 'b',
      text: 'is not a skill: unknown field "tols" (did you mean tools?)',
    },
    { kind: 'left-out', about: 'b', text: 'is mapped to plan, but no such skill exists' },
  ]);
});

test.each(['../../etc/passwd', '/etc/passwd', '~/.ssh/id', 'C:\\x', 'a/../../b', 'a\0b', ''])(
  'does not gather context from %j',
  (path) => {
    const required_context = [
      { type: 'file', path },
      { type: 'file', path: 'a..b/c' },
    ];
    const imported = read({ plan: ['a'] }, skill('a', { required_context }));
    const context = asLoaded(imported).skills.map((each) => each.skill.sidecar.context);
    expect(context).toEqual([[{ type: 'file', path: 'a..b/c' }]]);
    expect(imported.lines.map(({ kind, about }) => [kind, about])).toEqual([['left-out', 'a']]);
  },
);

test('converts hostile ids, names and phases to valid folders with unique names', () => {
  const ids = [
    '../..',
    '/etc',
    'a\0b',
    '__proto__',
    'A B',
    'a-b',
    'a_b',
    'x'.repeat(100_000),
    '---\nevil: true',
  ];
  const imported = read(
    Object.fromEntries([
      ['__proto__', ['a-b']],
      ['constructor', ids],
      [' ', ids],
      ['\u0007', ids],
    ]),
    ...ids.map((id) => skill(id, { name: `${id}\n---\n`, description: `${id}\n---\nname: other` })),
  );
  expect(invalid(imported)).toEqual([]);
  expect(imported.skills.map(({ id }) => id)).toEqual([
    'skill',
    'etc',
    'a-b',
    'proto',
    'a-b-2',
    'a-b-3',
    'a-b-4',
    'x'.repeat(64),
    'evil-true',
  ]);
  expect(Object.keys(imported.settings.phases)).toEqual(['constructor']);
  expect(Math.max(...imported.lines.map(({ about, text }) => about.length + text.length))).toBeLessThan(1000);
});

test('lists a skill once that a phase names a hundred thousand times, and reports a missing one once', () => {
  const many = (id: string): string[] => new Array<string>(100_000).fill(id);
  const imported = read({ plan: [...many('there'), ...many('gone')] }, skill('there'));
  expect(imported.settings.phases['plan']?.skills).toEqual(['there']);
  expect(imported.lines.filter(({ about }) => about === 'gone')).toEqual([
    { kind: 'left-out', about: 'gone', text: 'is mapped to plan, but no such skill exists' },
  ]);
});

test.each([
  ['{', "wreckit's skills.json is not JSON: "],
  ['{"skills": {}}', "wreckit's skills.json is invalid: skills: "],
  ['[]', "wreckit's skills.json is invalid: the document: "],
])('refuses the whole document %s', (text, message) => {
  expect(() => readWreckit(text)).toThrow(UsageError);
  expect(() => readWreckit(text)).toThrow(message);
});
