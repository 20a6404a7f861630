// Threat model: T368

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { SkillError } from '../outcome/skill-error.ts';
import { splitSkillFile } from './frontmatter.ts';
import { readManifest } from './manifest.ts';
import { parseYaml } from './parse-yaml.ts';

const fieldsOf = (yaml: string) => splitSkillFile(`---\n${yaml}\n---\nbody`).fields;

describe('reads a value that is not YAML as text', () => {
  test.each([
    ['a colon', 'Use when: the user asks'],
    ['a colon at its end', 'Use when:'],
    ['an at sign in front', '@Observable and views'],
    ['a backtick in front', '`grep` for code'],
    ['a percent sign in front', '%-formats of Python'],
    ['a colon and quotes', 'Say "hi": loudly'],
    ['text behind quotes', '"A" - and b'],
    ['text behind brackets', '[OLD] reads a file'],
    ['bold text', '**Bold** text'],
    ['emphasis', '*x* and y'],
    ['an asterisk in front', '*x'],
    ['a bracket that stays open', '[unclosed'],
    ['a quote that stays open', '"unclosed'],
    ['an invalid escape', '"C:\\q"'],
    ['a dash in front', '- one'],
  ])('with %s', (_, value) => {
    expect(fieldsOf(`name: a\ndescription: ${value}\nlicense: "MIT" # free`)).toEqual({
      name: 'a',
      description: value,
      license: 'MIT',
    });
  });

  test.each([
    [
      'a colon in a later line',
      'description: Graphs for Spring\n  (SDN 7.x): use when',
      'Graphs for Spring (SDN 7.x): use when',
    ],
    [
      'a colon in its last line of three',
      'description:\n  Graphs\n  for Spring\n  (7.x): use',
      'Graphs for Spring (7.x): use',
    ],
    ['a tab in front of its second line', 'description: one\n\ttwo: three', 'one two: three'],
    ['a second line that is not indented', 'description: one:\ntwo', 'one: two'],
    ['a comment between its lines', 'description: one: a\n# a note\n  two', 'one: a two'],
  ])('with %s', (_, lines, description) => {
    expect(fieldsOf(`name: a\n${lines}\nlicense: MIT`)).toEqual({ name: 'a', description, license: 'MIT' });
  });

  test('of a mapping, and leaves its other values unchanged', () => {
    const yaml =
      'name: a\ndescription: b\nmetadata:\n\tauthor: @me\n\tversion: "1"\nallowed-tools:\n- Read\n- Grep';
    expect(fieldsOf(yaml)).toEqual({
      name: 'a',
      description: 'b',
      metadata: { author: '@me', version: '1' },
      'allowed-tools': ['Read', 'Grep'],
    });
  });
});

test('warns of what other tools refuse, with its line', () => {
  const { manifest, warnings } = readManifest(
    '---\nname: a\nargument-hint: [file] [format]\ndescription: [OLD] reads\n---\n',
    'a',
  );
  expect([manifest.description, warnings]).toEqual([
    '[OLD] reads',
    [
      'the frontmatter is not YAML: text follows a value that has ended; quote the whole value at line 3, column 23',
      'line 3: the value of argument-hint is read as text; write it in quotes',
      'line 4: the value of description is read as text; write it in quotes',
    ],
  ]);
});

test.each([
  ['a mapping', 'description:\n  Graphs: use when asked', 'Graphs: use when asked'],
  ['a list', 'description: [OLD]', '[OLD]'],
])('reads a description that YAML reads as %s as text', (_, lines, description) => {
  expect(readManifest(`---\nname: a\n${lines}\n---\n`, 'a').manifest.description).toBe(description);
});

describe('refuses frontmatter that is not YAML', () => {
  test.each([
    [
      'and has a key twice',
      'name: a\nname: b\nlicense: [',
      'a key appears twice; merge the two at line 3, column 1',
    ],
    [
      'and hides the second key from YAML',
      'name: [a\nname: b',
      'the [ at line 2, column 7 is never closed; add a ]',
    ],
    [
      'and does not begin with a field',
      '- a\nname: b',
      'text follows a value that has ended; quote the whole value at line 3, column 1',
    ],
    [
      'and has two documents',
      'name: a\n---  b\nlicense: MIT',
      'Source contains multiple documents; please use YAML.parseAllDocuments() at line 3, column 1',
    ],
    [
      'and has one mistake more than twenty',
      Array.from({ length: 21 }, (_, at) => `k${at}: @a`).join('\n'),
      'Plain value cannot start with reserved character @ at line 2, column 5',
    ],
  ])('%s', (_, yaml, mistake) => {
    expect(() => readManifest(`---\n${yaml}\n---\n`, 'a')).toThrow(
      new SkillError('SKILL_INVALID', `SKILL.md: the frontmatter is not YAML: ${mistake}`),
    );
  });

  test('but not with twenty mistakes', () => {
    const yaml = Array.from({ length: 19 }, (_, at) => `k${at}: @a`).join('\n');
    expect(readManifest(`---\nname: a\ndescription: @b\n${yaml}\n---\n`, 'a').manifest.description).toBe(
      '@b',
    );
  });
});

const line = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...':-#"\'[]{}&*!|>@`%,? \tab\n'), maxLength: 16 }),
);
const written = fc.array(
  fc.tuple(fc.constantFrom('name', 'description', 'metadata', 'a', '  b', '- c'), line),
);

test('never changes what YAML reads', () => {
  const parses = (yaml: string): unknown => {
    try {
      return parseYaml(yaml, 1);
    } catch {
      return undefined;
    }
  };
  const documents = fc.oneof(
    written.map((rows) => rows.map(([key, value]) => `${key}: ${value}`).join('\n')),
    fc
      .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }))
      .map((value) => stringify(value)),
  );
  let compared = 0;
  fc.assert(
    fc.property(documents, (yaml) => {
      if (/^---|\r/m.test(yaml)) return;
      const value = parses(yaml);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      compared += 1;
      expect(splitSkillFile(`---\n${yaml}\n---\n`)).toMatchObject({ fields: value, mistakes: [] });
    }),
    { numRuns: 400, seed: 41 },
  );
  expect(compared).toBeGreaterThan(100);
});

test('never fails on a text without a mistake that it names', () => {
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      try {
        splitSkillFile(`---\nname: a\n${lines.join('\n')}\n---\n`);
      } catch (error) {
        expect((error as Error).message).toMatch(/^the frontmatter /);
      }
    }),
    { numRuns: 200, seed: 41 },
  );
});
