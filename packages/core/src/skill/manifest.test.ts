// Threat model: T120

import { describe, expect, test } from 'vitest';
import { SkillError } from '../outcome/skill-error.ts';
import { readManifest } from './manifest.ts';

const plain = '---\nname: pdf-fill\ndescription: Fills forms.\n---\n# Body\n\ntext\n';
const manifest = {
  name: 'pdf-fill',
  description: 'Fills forms.',
  license: undefined,
  compatibility: undefined,
  metadata: {},
  allowedTools: [],
};

describe('reads a SKILL.md', () => {
  test.each([
    ['as the specification defines it', plain],
    ['with CRLF line ends', plain.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\uFEFF${plain}`],
    ['with blanks after its fences', plain.replaceAll('---', '---  ')],
  ])('%s', (_, text) => {
    expect(readManifest(text, 'pdf-fill')).toEqual({
      manifest,
      body: '# Body\n\ntext',
      hiddenFrom: [],
      warnings: [],
    });
  });

  test('with every field of the specification, ignoring unknown fields', () => {
    const text =
      '---\nname: a\ndescription: b\nlicense: MIT\ncompatibility: node\nmetadata: { author: me, version: 1.5 }\nallowed-tools: Read Grep\nowner: x\n---\n';
    expect(readManifest(text, 'a').manifest).toEqual({
      name: 'a',
      description: 'b',
      license: 'MIT',
      compatibility: 'node',
      metadata: { author: 'me', version: '1.5' },
      allowedTools: ['Read', 'Grep'],
    });
  });

  test.each([
    ['a comment', '<!-- Made by hand. -->\n', 2],
    ['a comment of several lines', '<!--\nname: other\n-->\n\n', 5],
    ['blank lines', '\n \n', 3],
    [
      'the lines of a license',
      '# SPDX-License-Identifier: MIT\n// Copyright 2026 Ada\nAll rights reserved.\n',
      4,
    ],
  ])('below %s, with a warning', (_, above, line) => {
    expect(readManifest(above + plain, 'pdf-fill')).toEqual({
      manifest,
      body: '# Body\n\ntext',
      hiddenFrom: [],
      warnings: [
        `the frontmatter starts on line ${line}, where other tools do not find it; move what is above it below it`,
      ],
    });
    expect(readManifest(`\uFEFF${above}${plain}`.replaceAll('\n', '\r\n'), 'pdf-fill').manifest).toEqual(
      manifest,
    );
  });

  test.each([
    ['above a rule line', '# QL-1: Fan out\n---\nname: other\n---\n', 'Fan out'],
    ['below a rule line without a field', '\n---\n# QL-1: Fan out\n---\n', 'Fan out'],
    ['below a comment that does not end', '<!-- a\n---\nname: other\n---\n# QL-1: Fan out\n', 'Fan out'],
  ])('that is Markdown only, with its heading %s', (_, text, name) => {
    expect(readManifest(text, 'fan-out')).toMatchObject({ manifest: { name }, body: text });
  });

  test.each([
    ['three dashes inside', 'description: before --- after', 'before --- after'],
    ['three dashes in a block', 'description: |\n  before\n  ---\n  after', 'before\n---\nafter'],
  ])('when a value has %s', (_, line, description) => {
    expect(readManifest(`---\nname: a\n${line}\n---\nbody`, 'a')).toEqual({
      manifest: { ...manifest, name: 'a', description: description.trim() },
      body: 'body',
      hiddenFrom: [],
      warnings: [],
    });
  });

  test('with words that older YAML reads as booleans and dates kept as strings', () => {
    const text = '---\nname: a\ndescription: on\nmetadata: { a: no, b: off, c: 2024-01-02, d: 012 }\n---\n';
    expect(readManifest(text, 'a').manifest).toMatchObject({
      description: 'on',
      metadata: { a: 'no', b: 'off', c: '2024-01-02', d: '12' },
    });
  });

  test('when it is Markdown only, with a heading and a description', () => {
    const text =
      '# QL-002: local-test-execution\n\n## Description\nExecute the test suites\n\n## Owner\nme\n';
    expect(readManifest(text, 'local-test-execution')).toEqual({
      manifest: { ...manifest, name: 'local-test-execution', description: 'Execute the test suites' },
      body: text,
      hiddenFrom: [],
      warnings: [],
    });
  });

  test.each([
    ['no name', '---\ndescription: d\n---\n', "SKILL.md has no name; using its folder's name, folder"],
    [
      "a name that differs from its folder's",
      '---\nname: other\ndescription: d\n---\n',
      'name other is not the name of its folder, folder',
    ],
    [
      'an invalid name',
      '---\nname: My Skill\ndescription: d\n---\n',
      'name "My Skill" is not 1–64 of a-z, 0-9 and single hyphens',
    ],
    [
      'a long description',
      `---\nname: folder\ndescription: ${'x'.repeat(1025)}\n---\n`,
      'the description has 1025 characters; at most 1024 are allowed',
    ],
    [
      'hidden characters',
      '---\nname: folder\ndescription: d\n---\nRead\u200B \u{E0041}this.',
      'SKILL.md has 3 hidden characters (zero-width, bidirectional, tag or control characters), which are removed before a model reads it',
    ],
    [
      'hidden characters written as escapes',
      '---\nname: folder\ndescription: "a\\u202Eb"\n---\n',
      'SKILL.md has 1 hidden characters (zero-width, bidirectional, tag or control characters), which are removed before a model reads it',
    ],
    [
      'a name that is a list',
      '---\nname: [a]\ndescription: d\n---\n',
      'name is ignored: write a string, a number or true or false, not a list',
      "SKILL.md has no name; using its folder's name, folder",
    ],
    [
      'a license that is a list',
      '---\nname: folder\ndescription: d\nlicense: [MIT, BSD]\n---\n',
      'license is ignored: write a string, a number or true or false, not a list',
    ],
    [
      'tools that are not strings',
      '---\nname: folder\ndescription: d\nallowed-tools: [1]\n---\n',
      'allowed-tools is ignored: 0: write a string, not 1',
    ],
  ])('with a warning if it has %s', (_, text, ...warnings) => {
    expect(readManifest(text, 'folder').warnings).toEqual(warnings);
  });
});

test('treats an empty field as absent', () => {
  const { manifest: read, warnings } = readManifest(
    '---\nname: folder\ndescription: d\ncompatibility:\n---\n',
    'folder',
  );
  expect([read.compatibility, warnings]).toEqual([undefined, []]);
});

test.each([
  ['no description', '---\nname: folder\n---\n', 'folder', 'name is'],
  ['a blank one', '---\nname: folder\ndescription: "  "\n---\n', 'folder', 'name is'],
  ['a heading only', '# QL-1: Fan out\n\nText.\n', 'Fan out', 'name is'],
  ['text only', '# Images\n\nResizes *images*. Fast.\n', 'Images: Resizes images.', 'first words are'],
  ['neither', '---\nlicense: MIT\n---\nResizes images.\n', 'Resizes images.', 'first words are'],
])('describes a skill with %s by its name or its first words, with a warning', (_, text, words, used) => {
  const { manifest: read, warnings } = readManifest(text, 'folder');
  expect([read.description, warnings[0]]).toEqual([
    words,
    `SKILL.md has no description, so its ${used} used; add "description: what it does and when to use it"`,
  ]);
});

test('cuts the first words of a skill to the length of a description', () => {
  expect(readManifest(`${'a'.repeat(2000)}\n`, 'folder').manifest.description).toBe('a'.repeat(1024));
});

describe('refuses a SKILL.md', () => {
  const missing =
    'SKILL.md has no description: add "description: what it does and when to use it" to its frontmatter';
  test.each([
    ['neither a description nor a name nor text', '---\nlicense: MIT\n---\n', missing],
    ['a blank description and no name', '---\ndescription: "  "\n---\n', missing],
    ['only code', '```\nrm a\n```\n', missing],
    [
      'frontmatter that does not end',
      '---\nname: a\ndescription: b\n',
      'SKILL.md: the frontmatter does not end; add a line with --- after the last field',
    ],
    [
      'frontmatter that is a list',
      '---\n- a\n---\n',
      'SKILL.md: the frontmatter is not a list of "field: value" lines',
    ],
  ])('with %s', (_, text, message) => {
    expect(() => readManifest(text, 'a')).toThrow(new SkillError('SKILL_INVALID', message));
  });
});

test('metadata that is JSON in quotes is read like the mapping', () => {
  const read = (metadata: string) =>
    readManifest(`---\nname: a\ndescription: d\nmetadata: ${metadata}\n---\n`, 'a');
  const mapping = read('{"openclaw":{"requires":{"bins":["uv"]}},"author":"me"}').manifest.metadata;
  expect(mapping).toEqual({ openclaw: '{"requires":{"bins":["uv"]}}', author: 'me' });
  expect(read(`'{"openclaw":{"requires":{"bins":["uv"]}},"author":"me"}'`).manifest.metadata).toEqual(
    mapping,
  );
  expect(read(`'[1]'`).manifest.metadata).toEqual({});
  expect(read(`'{"internal": true}'`).hiddenFrom).toEqual(['models']);
});
