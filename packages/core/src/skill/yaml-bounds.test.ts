// Threat model: T128, T129

import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { validateManifest } from '../quality/validate-manifest.ts';
import { validateSidecar } from '../quality/validate-sidecar.ts';
import { mistakesMax, readYaml } from './bounded-yaml.ts';
import { readManifest } from './manifest.ts';
import { parseLargeYaml } from './parse-yaml.ts';
import { readSidecar } from './sidecar.ts';
import { yamlCost } from './yaml-cost.ts';

const comment = (characters: number): string => `#${'x'.repeat(characters - 2)}\n`;

const skillMd = (yaml: string): string =>
  `---\nname: long\ndescription: d\n${yaml}\n---\n${'body '.repeat(20_000)}`;

test('reads a sidecar of 64 Ki characters, and refuses a longer one before parsing', () => {
  const rest = 'priority: 7\n';
  expect(readSidecar(comment(64 * 1024 - rest.length) + rest).priority).toBe(7);
  const longer = `${comment(64 * 1024 - rest.length)} ${rest}`;
  const why = 'has 65537 characters; the limit is 65536. Move long parts into files of the skill';
  expect(() => readSidecar(longer)).toThrow(`ambit.yaml ${why}`);
  expect(validateSidecar(longer, []).errors).toEqual([
    { file: 'ambit.yaml', line: 1, message: `the file ${why}` },
  ]);
});

test('reads frontmatter of 64 Ki characters, and refuses longer frontmatter before parsing; the body may be longer', () => {
  const rest = 'name: long\ndescription: d\n\n'.length;
  expect(readManifest(skillMd(comment(64 * 1024 - rest + 1)), 'long').manifest.name).toBe('long');
  const longer = skillMd(comment(64 * 1024 - rest + 2));
  const why =
    'the frontmatter has 65537 characters; the limit is 65536. Move long parts into files of the skill';
  expect(() => readManifest(longer, 'long')).toThrow(`SKILL.md: ${why}`);
  expect(validateManifest(longer, 'long').errors).toEqual([{ file: 'SKILL.md', line: 1, message: why }]);
});

describe('refuses YAML that is expensive for its length, and names the exceeded limit', () => {
  const manyTokens =
    'has more than 5000 YAML tokens (names, values, brackets, commas, line breaks). Shorten it, or move parts of it into files of the skill';
  const manyAliases = 'has more than 16 YAML aliases. Write the values out';
  const deep = 'is nested more than 64 deep. Flatten it';

  test.each([
    ['keys', Array.from({ length: 2000 }, (_, at) => `k${at}:`).join('\n'), manyTokens],
    ['keys in braces', `x: {${'a,'.repeat(2000)}}`, manyTokens],
    ['items', `x: [${'1,'.repeat(2000)}]`, manyTokens],
    ['items on lines', `x:\n${'- a\n'.repeat(2000)}`, manyTokens],
    ['blank lines', `x: 1${'\n'.repeat(6000)}y: 2`, manyTokens],
    ['tags', `x: ${'!t '.repeat(4000)}`, manyTokens],
    ['aliases', `x: &a 1\ny: [${'*a, '.repeat(17)}]`, manyAliases],
    ['brackets', `x: ${'['.repeat(65)}${']'.repeat(65)}`, deep],
    ['brackets that stay open', '['.repeat(4000), deep],
    ['dashes on one line', `x:\n  ${'- '.repeat(65)}1`, deep],
    ['question marks on one line', '? '.repeat(65), deep],
  ])('%s', (_, yaml, why) => {
    expect(() => readSidecar(yaml)).toThrow(
      expect.objectContaining({ code: 'SKILL_INVALID', message: `ambit.yaml ${why}` }),
    );
    expect(validateSidecar(yaml, []).errors).toEqual([
      { file: 'ambit.yaml', line: 1, message: `the file ${why}` },
    ]);
    const frontmatter = `the frontmatter ${why}`;
    expect(() => readManifest(skillMd(yaml), 'long')).toThrow(`SKILL.md: ${frontmatter}`);
    expect(validateManifest(skillMd(yaml), 'long').errors).toEqual([
      { file: 'SKILL.md', line: 1, message: frontmatter },
    ]);
  });

  test('refuses aliases to aliases that repeat a value many times', () => {
    const yaml = `tags: &a [${'x'.repeat(1000)}]\ncontext: &b [*a, *a, *a, *a, *a, *a]\nagents: [*b, *b, *b, *b, *b, *b]\n`;
    const why = 'Excessive alias count indicates a resource exhaustion attack';
    expect(() => readSidecar(yaml)).toThrow(`ambit.yaml is not YAML: ${why}`);
    expect(validateSidecar(yaml, []).errors).toEqual([
      { file: 'ambit.yaml', line: 1, message: `this is not YAML: ${why}` },
    ]);
  });

  test('reads YAML up to each limit', () => {
    const input = (value: string): unknown =>
      readSidecar(`run:\n  runtime: process\n  entry: a.sh\n  input:\n    x: ${value}\n`).run?.input;
    const many = Array.from({ length: 1600 }, (_, at) => at);
    expect(input(`[${many.join(',')}]`)).toEqual({ x: many });
    expect(input(`{ y: &a 1, z: [${'*a, '.repeat(16)}] }`)).toEqual({ x: { y: 1, z: Array(16).fill(1) } });
    expect(JSON.stringify(input(`${'['.repeat(64)}${']'.repeat(64)}`))).toBe(
      `{"x":${'['.repeat(64)}${']'.repeat(64)}}`,
    );
    expect(input(`\n      ${'- '.repeat(64)}1`)).toBeDefined();
  });

  test('does not count YAML syntax inside a block scalar', () => {
    const text = `${'- [ *a { '.repeat(200)}\n`;
    const run = (value: string) => `run:\n  runtime: process\n  entry: a.sh\n  input:\n    x: ${value}\n`;
    expect(readSidecar(run(`|\n      ${text}`)).run?.input).toEqual({ x: text });
    expect(readSidecar(run(JSON.stringify(text))).run?.input).toEqual({ x: text });
  });
});

test('reports the first fifty of thousands of mistakes', () => {
  const yaml = `context:\n${'  - { type: file, path: a, x: 1 }\n'.repeat(150)}`;
  const message = 'unknown field "x" in context.49 (allowed fields: type, path, description)';
  expect(validateSidecar(yaml, []).errors.slice(49)).toEqual([
    { file: 'ambit.yaml', line: 51, message },
    { file: 'ambit.yaml', line: 1, message: 'there are more mistakes; fix these first' },
  ]);
});

// A regular expression that backtracks at every blank would take minutes.
test.each([
  ['in frontmatter', `---\nname: a\ndescription: d\nx: b${' '.repeat(60_000)}c\n---\n`, 'd'],
  ['below frontmatter', `---\nname: a\ndescription: d\n---\n# a: b${' '.repeat(900_000)}c`, 'd'],
  ['without frontmatter', `# a: b${' '.repeat(900_000)}c\n\n## Description\nd`, 'd'],
])('reads a long run of blanks %s', (_, text, description) => {
  expect(readManifest(text, 'a').manifest.description).toBe(description);
});

test('estimates the cost of YAML before parsing: nothing for plain fields, tokens for others, infinity for long ones', () => {
  expect(yamlCost(skillMd('license: MIT'), 'priority: 7\n')).toBe(0);
  expect(yamlCost(skillMd('license: "MIT"'), undefined)).toBe(20);
  expect(yamlCost(skillMd('license: MIT'), '{a: 1}\n')).toBe(10);
  expect(yamlCost(skillMd('license: MIT'), comment(9000))).toBe(Number.POSITIVE_INFINITY);
  expect(yamlCost(skillMd('license: MIT'), '[1]\n'.repeat(400))).toBe(Number.POSITIVE_INFINITY);
  expect(yamlCost('# a: no frontmatter', undefined)).toBe(0);
});

test('reports an unknown YAML tag as a warning of validation, and never prints it', async () => {
  const printed: string[] = [];
  const onWarning = ({ message }: Error): number => printed.push(message);
  process.on('warning', onWarning);
  const tagged = 'license: !<\u001b[31mred> MIT';
  expect(readSidecar('tags: [!odd data]').tags).toEqual(['data']);
  readManifest(skillMd('metadata: { ? [a] : b }\nlicense: !odd MIT'), 'long');
  expect(validateManifest(skillMd('license: !odd MIT'), 'long').warnings).toEqual([
    { file: 'SKILL.md', line: 4, message: 'YAML: Unresolved tag: !odd' },
  ]);
  expect(validateSidecar('tags: [!odd data]', []).warnings).toEqual([
    { file: 'ambit.yaml', line: 1, message: 'YAML: Unresolved tag: !odd' },
  ]);
  expect(readManifest(skillMd(tagged), 'long').manifest.license).toBe('MIT');
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect(printed).toEqual([]);
});

describe('stops at the mistake after the twentieth, because each costs a stack trace', () => {
  const fill = (unit: string, characters = 60_000): string => unit.repeat(characters / unit.length);
  const hostile = [
    ['invalid escapes', `x: "${fill('\\q')}"`, 'Invalid escape sequence \\q at line 1, column 5'],
    ['invalid code points', `x: "${fill('\\UFFFFFFFF')}"`, 'Invalid escape sequence \\UFFFFFFFF'],
    [
      'indented blank lines',
      `x: |\n${Array.from({ length: 340 }, (_, at) => ' '.repeat(342 - at)).join('\n')}\n a\n`,
      'Block scalar',
    ],
    ['brackets that close nothing', `x: [${fill(']', 4000)}`, 'Unexpected'],
    ['commas', `x: [${fill(',', 4000)}]`, 'Unexpected , in flow sequence'],
    ['anchors of one value', `x: ${fill('&a ', 4500)}1`, 'A node can have at most one anchor'],
    ['tags of one value', `x: ${fill('!t ', 4500)}1`, 'A node can have at most one tag'],
    ['a line that is indented wrongly, many times', `a: 1\n${fill('  b: 2\n', 6300)}`, ''],
    ['documents', fill('--- 1\n', 3000), 'Source contains multiple documents'],
  ] as const;

  test.each(hostile)('%s', (_, yaml, message) => {
    const { errors } = readYaml(yaml);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(mistakesMax);
    expect(() => readSidecar(yaml)).toThrow(`ambit.yaml is not YAML: ${message}`);
    expect(validateSidecar(yaml, []).errors).toHaveLength(errors.length);
    expect(validateManifest(skillMd(yaml), 'long').errors.length).toBeLessThanOrEqual(mistakesMax);
    expect(() => parseLargeYaml(yaml)).toThrow(message);
  });

  test.each(hostile.slice(0, -1))('and reads the other fields of frontmatter with %s', (_, yaml) => {
    const { manifest, warnings } = readManifest(skillMd(yaml), 'long');
    expect([manifest.name, manifest.description]).toEqual(['long', 'd']);
    expect(warnings[0]).toContain('the frontmatter is not YAML: ');
    expect(warnings.length).toBeLessThanOrEqual(3);
  });

  test('reads every mistake of a document with twenty, and a document with any number of warnings', () => {
    const twenty = `x: "${'\\q'.repeat(20)}"`;
    expect(readYaml(twenty).errors).toHaveLength(20);
    expect(readYaml(twenty).document).toBeDefined();
    expect(readYaml(`x: "${'\\q'.repeat(21)}"`)).toMatchObject({
      document: undefined,
      errors: { length: 20 },
    });
    const odd = `tags: [${'!odd a, '.repeat(300)}]`;
    expect(readYaml(odd).warnings).toHaveLength(mistakesMax);
    expect(readSidecar(odd).tags).toHaveLength(300);
  });

  test('reads what the library reads', () => {
    for (const yaml of ['', 'a: 1', '# c', '[1, {a: &x b, c: *x}]', '---\na: 1\n...\n', 'a: "\\x41\\n"'])
      expect(readYaml(yaml).document?.toJS()).toEqual(parseDocument(yaml).toJS());
  });
});

test('refuses a configuration that is expensive to parse, and reads 3,000 keys', () => {
  const keys = (count: number): string => Array.from({ length: count }, (_, at) => `k${at}: 1`).join('\n');
  expect(() => parseLargeYaml(keys(25_001))).toThrow('has more than 100000 YAML tokens');
  expect(() => parseLargeYaml(`a: &a 1\nb: [${'*a, '.repeat(101)}]`)).toThrow(
    'has more than 100 YAML aliases',
  );
  expect(() => parseLargeYaml('['.repeat(65))).toThrow('is nested more than 64 deep');
  expect(() => parseLargeYaml('#'.repeat(2 * 1024 * 1024 + 1))).toThrow('the limit is 2097152');
  expect(() => parseLargeYaml(`x: "${'\\q'.repeat(500_000)}"`)).toThrow(
    'Invalid escape sequence \\q at line 1, column 5',
  );
  expect(Object.keys(parseLargeYaml(keys(3000)) as object)).toHaveLength(3000);
});
