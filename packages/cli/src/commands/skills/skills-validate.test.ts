import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledSkills } from '@ambit/server/config';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../../server/src/testing/plain-config.ts';
import { runAmbit } from '../../testing/run-ambit.ts';

const skillMd = (fields: string): string => `---\n${fields}\n---\nbody\n`;
const plain = skillMd('name: subject\ndescription: d');
const tool =
  'run: { runtime: process, entry: scripts/run.py, capabilities: { exec: [python3] }, input: { type: object } }';
const script = 'export default () => 1;';

/** The result of strict validation of a folder named `subject`. */
async function checked(
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
) {
  const paths = Object.entries(files).map(([path, content]) => [`subject/${path}`, content]);
  const cwd = await temporaryFolder(Object.fromEntries(paths));
  for (const [path, target] of Object.entries(links)) await symlink(target, join(cwd, 'subject', path));
  const { exitCode, stdout } = await runAmbit('skills validate subject --json', { cwd });
  const { valid, folders } = JSON.parse(stdout);
  expect(exitCode).toBe(valid ? 0 : 3);
  expect(folders).toEqual([
    {
      folder: join(cwd, 'subject'),
      errors: expect.any(Array),
      warnings: expect.any(Array),
      issues: expect.any(Array),
    },
  ]);
  const { errors, warnings } = folders[0] as { errors: string[]; warnings: string[] };
  return { errors, warnings };
}

test('the bundled skills are valid without warnings', async () => {
  const { exitCode, stdout } = await runAmbit(['skills', 'validate', bundledSkills, '--json']);
  expect(exitCode).toBe(0);
  const { folders } = JSON.parse(stdout) as { folders: { errors: string[]; warnings: string[] }[] };
  expect(folders.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(folders.length).toBeGreaterThan(0);
});

test('validates all skills below a folder, prints each mistake, and exits with 3 for one invalid skill', async () => {
  const cwd = await temporaryFolder({
    'skills/good/SKILL.md': skillMd('name: good\ndescription: d\nowner: me'),
    'skills/bad/SKILL.md': skillMd('name: other'),
    'skills/notes/README.md': '',
    'none/README.md': '',
  });
  expect(await runAmbit('skills validate skills none', { cwd })).toEqual({
    exitCode: 3,
    stderr: '',
    stdout: `invalid  ${cwd}/skills/bad
         SKILL.md:1: description: add a description: what it does and when to use it
         SKILL.md:2: name: other is not the name of its folder, bad
valid    ${cwd}/skills/good
         warning: SKILL.md:4: owner: the specification has no such field, and tools ignore it
invalid  ${cwd}/none
         no SKILL.md here or in a folder directly below
1 valid, 2 invalid
`,
  });
});

test('reports a pipe in the folder without waiting for it', async () => {
  const cwd = await temporaryFolder({ 'a/SKILL.md': skillMd('name: a\ndescription: d') });
  execFileSync('mkfifo', [join(cwd, 'a/ambit.yaml')]);
  expect(await runAmbit('skills validate a', { cwd })).toMatchObject({
    exitCode: 3,
    stdout: `invalid  ${cwd}/a
         the folder contains "ambit.yaml", which is not a regular file
0 valid, 1 invalid
`,
  });
});

test('without a folder, validates the configured skills as deep as the catalog searches', async () => {
  const cwd = await temporaryFolder({
    'a/SKILL.md': skillMd('name: a\ndescription: d'),
    'deep/down/b/SKILL.md': skillMd('name: b\ndescription: d'),
  });
  const none = { path: `${cwd}/.agents/skills`, tier: 'untrusted' as const, discovered: true as const };
  const loadConfig = async () => ({ ...plainConfig, skills: [{ path: cwd, tier: 'local' as const }, none] });
  expect(await runAmbit('skills validate', { loadConfig })).toEqual({
    exitCode: 0,
    stdout: `valid    ${cwd}/a\nvalid    ${cwd}/deep/down/b\n2 valid, 0 invalid\n`,
    stderr: '',
  });
});

test('a circle of required skills is an error of each skill in it', async () => {
  const cwd = await temporaryFolder({
    'egg/SKILL.md': skillMd('name: egg\ndescription: d'),
    'egg/ambit.yaml': 'requires: { hen: "*" }',
    'hen/SKILL.md': skillMd('name: hen\ndescription: d'),
    'hen/ambit.yaml': 'requires: { egg: "*" }',
    'omelette/SKILL.md': skillMd('name: omelette\ndescription: d'),
    'omelette/ambit.yaml': 'requires: { egg: "*" }',
  });
  const error =
    'is in a circle of requirements: egg → hen → egg; remove an entry of requires in an ambit.yaml';
  expect(await runAmbit('skills validate .', { cwd })).toEqual({
    exitCode: 3,
    stdout: `invalid  ${cwd}/egg
         ambit.yaml: egg ${error}
invalid  ${cwd}/hen
         ambit.yaml: hen ${error}
valid    ${cwd}/omelette
1 valid, 2 invalid
`,
    stderr: '',
  });
});

describe('SKILL.md is validated against the specification', () => {
  test.each([
    [
      'no frontmatter',
      '# A title\n',
      ['there is no frontmatter: begin the file with ---, name, description and ---'],
    ],
    [
      'frontmatter without an end',
      '---\nname: a\n',
      ['the frontmatter does not end; add a line with --- after the last field'],
    ],
    [
      'no fields',
      skillMd(''),
      [
        'name: add a name, the same as the folder’s',
        'description: add a description: what it does and when to use it',
      ],
    ],
    [
      'an odd name',
      skillMd('name: Sub--Ject\ndescription: d'),
      ['name: a name is 1–64 of a-z, 0-9 and single hyphens'],
    ],
    [
      'a blank description',
      skillMd('name: subject\ndescription: " "'),
      ['description: say what it does and when to use it'],
    ],
    [
      'a long description',
      skillMd(`name: subject\ndescription: ${'x'.repeat(1025)}`),
      ['description: at most 1024 characters'],
    ],
    [
      'a long compatibility',
      skillMd(`name: subject\ndescription: d\ncompatibility: ${'x'.repeat(501)}`),
      ['compatibility: at most 500 characters'],
    ],
    [
      'a list of tools',
      skillMd('name: subject\ndescription: d\nallowed-tools: [Read]'),
      ['allowed-tools: write one string, with spaces between the tools'],
    ],
    [
      'YAML whose line is counted in SKILL.md',
      skillMd('name: subject\nmetadata: { a: b'),
      ['the frontmatter is not YAML: the { at line 3, column 11 is never closed; add a }'],
    ],
    [
      'a comment above its frontmatter',
      `<!-- a -->\n${skillMd('name: subject\ndescription: 1')}`,
      [
        'the frontmatter starts on line 2, where other tools do not find it; move what is above it below it',
        'description: add a description: what it does and when to use it',
      ],
    ],
    [
      'a value that loading reads as text and other tools refuse',
      skillMd('name: subject\ndescription: Use when: always'),
      ['the frontmatter is not YAML: a line has a second ": "; quote the value at line 3, column 14'],
    ],
  ])('%s', async (_, text, issues) => {
    expect(await checked({ 'SKILL.md': text })).toEqual({
      errors: issues.map((issue) => `SKILL.md: ${issue}`),
      warnings: [],
    });
  });

  test.each([
    ['CRLF', plain.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${plain}`],
    ['--- inside a value', skillMd('name: subject\ndescription: |\n  a\n  ---\n  b')],
    [
      'every field there is',
      skillMd(
        'name: subject\ndescription: d\nlicense: MIT\ncompatibility: c\nmetadata: { a: "1" }\nallowed-tools: Read Bash(git:*)',
      ),
    ],
  ])('%s is valid', async (_, text) => {
    expect(await checked({ 'SKILL.md': text })).toEqual({ errors: [], warnings: [] });
  });
});

describe('ambit.yaml is validated strictly', () => {
  const errors = (issues: string[]) => ({
    errors: issues.map((issue) => `ambit.yaml: ${issue}`),
    warnings: [],
  });
  const warnings = (issues: string[]) => ({
    errors: [],
    warnings: issues.map((issue) => `ambit.yaml: ${issue}`),
  });

  test('a tool with an existing entry is valid', async () => {
    const files = { 'SKILL.md': plain, 'ambit.yaml': tool, 'scripts/run.py': '' };
    expect(await checked(files)).toEqual({ errors: [], warnings: [] });
    const dotted = tool.replace('scripts/', './scripts/');
    expect(await checked({ ...files, 'ambit.yaml': dotted })).toEqual({ errors: [], warnings: [] });
  });

  test.each([
    [
      'every unknown key',
      'versoin: 1.0.0\nrunn: {}',
      errors(['unknown field "versoin" (did you mean version?)', 'unknown field "runn" (did you mean run?)']),
    ],
    [
      'invalid YAML, in the words of loading',
      'tags: ["[", a\nphases: []',
      errors(['this is not YAML: the [ at line 1, column 7 is never closed; add a ]']),
    ],
    [
      'an entry that climbs',
      tool.replace('scripts', '..'),
      errors(['run.entry: stay inside the skill folder']),
    ],
    [
      'an entry that is not there',
      tool.replace('run.py', 'rnu.py'),
      errors(['run.entry: there is no file scripts/rnu.py in this folder']),
    ],
    [
      'a schema that is no mapping',
      tool.replace('{ type: object }', 'true'),
      errors(['run.input: write a schema as a mapping, or remove it to accept anything']),
    ],
    [
      'no input schema',
      tool.replace(', input: { type: object }', ''),
      warnings(['run.input: without a schema callers cannot know what to send, and no input is checked']),
    ],
    [
      'an input that is no object',
      tool.replace('type: object', 'type: string'),
      warnings(['run.input: agents can only call tools whose input has type: object']),
    ],
    [
      'a schema that is never used',
      tool.replace('input:', 'protocol: command, input:'),
      warnings(['run.input: protocol command has no JSON, so this schema is never used']),
    ],
  ])('%s', async (_, sidecar, expected) => {
    const found = await checked({ 'SKILL.md': plain, 'ambit.yaml': sidecar, 'scripts/run.py': '' });
    expect({ ...found, warnings: expected.errors.length > 0 ? [] : found.warnings }).toEqual(expected);
  });

  test('refuses an entry that links out of the folder, and accepts a link within it', async () => {
    const files = { 'SKILL.md': plain, 'ambit.yaml': tool, 'other.py': '', 'scripts/x': '' };
    expect(await checked(files, { 'scripts/run.py': '../other.py' })).toEqual({ errors: [], warnings: [] });
    expect(await checked(files, { 'scripts/run.py': '/etc/hostname' })).toEqual({
      errors: ['ambit.yaml: run.entry: scripts/run.py is a link that leaves the folder'],
      warnings: ['scripts/run.py: the link leaves the folder, so it is broken when the skill runs'],
    });
  });

  describe('what runtime wasm cannot run', () => {
    const wasm = (entry: string, more = ''): string =>
      `run: { runtime: wasm, entry: ${entry}, input: { type: object }${more} }`;
    const emptyModule = '\0asm\u0001\0\0\0';
    const none =
      'a script’s name ends in .js, .mjs or .py, and a module is compiled WebAssembly (an Extism plug-in or a WASI command)';

    test.each([
      ['a module', wasm('a.wasm'), { 'a.wasm': moduleWith('run') }],
      ['a function that is named', wasm('a.wasm', ', function: greet'), { 'a.wasm': moduleWith('greet') }],
      ['a WASI command', wasm('a.wasm'), { 'a.wasm': moduleWith('_start') }],
      [
        'a WASI command with arguments and a workspace',
        'run: { runtime: wasm, entry: a.wasm, protocol: command, capabilities: { filesystem: { write: [workspace] } } }',
        { 'a.wasm': moduleWith('_start') },
      ],
      ['a module that is not its entry', wasm('a.js'), { 'a.js': script, 'b.wasm': emptyModule }],
      ['a script', wasm('lib/a.mjs'), { 'lib/a.mjs': script }],
      ['text that is not its entry', wasm('a.js'), { 'a.js': script, 'b.wasm': '(module)' }],
      [
        'files that are granted',
        wasm('a.js', ', capabilities: { filesystem: { read: [/srv] } }'),
        { 'a.js': script },
      ],
    ])('is not %s', async (_, sidecar, files) => {
      expect(await checked({ 'SKILL.md': plain, 'ambit.yaml': sidecar, ...files })).toEqual({
        errors: [],
        warnings: [],
      });
    });

    test.each([
      [
        'a plug-in without run',
        wasm('a.wasm'),
        { 'a.wasm': moduleWith('count_vowels', 'greet', 'malloc') },
        'run.entry: a.wasm does not export run; it exports count_vowels, greet: name one of them with run.function',
      ],
      [
        'a function that it does not export',
        wasm('a.wasm', ', function: greeet'),
        { 'a.wasm': moduleWith('count_vowels', 'greet') },
        'run.function: a.wasm does not export greeet; it exports count_vowels, greet: did you mean greet?',
      ],
      [
        'a module without functions',
        wasm('a.wasm'),
        { 'a.wasm': emptyModule },
        'run.entry: a.wasm exports no function that could be called',
      ],
      [
        'a function of a WASI command',
        wasm('a.wasm', ', function: greet'),
        { 'a.wasm': moduleWith('_start', 'greet') },
        'run.function: a.wasm is a WASI command, which starts at _start; remove this',
      ],
      [
        'a function of a script',
        wasm('a.js', ', function: greet'),
        { 'a.js': '' },
        'run.function: a script is called by its default export; function is for Extism plug-ins',
      ],
      ['text', wasm('a.wasm'), { 'a.wasm': '(module)' }, `run.entry: a.wasm is text; ${none}`],
      ['an empty file', wasm('a.wasm'), { 'a.wasm': '' }, `run.entry: a.wasm is empty; ${none}`],
      [
        'a module that was cut off',
        wasm('a.wasm'),
        { 'a.wasm': emptyModule.slice(0, 6) },
        'run.entry: a.wasm has a WebAssembly version other than 1',
      ],
      [
        'another ending',
        wasm('a.rb'),
        { 'a.rb': '' },
        'run.entry: runtime wasm runs .wasm, .js, .mjs and .py files, not a.rb; for Python without .py, add interpreter: python',
      ],
      [
        'a workspace',
        wasm('a.js', ', capabilities: { filesystem: { write: [workspace] } }'),
        { 'a.js': '' },
        'run.capabilities.filesystem.write: a script has no workspace; remove this, or build it as a WASI command',
      ],
      [
        'a workspace of a plug-in',
        wasm('a.wasm', ', capabilities: { filesystem: { write: [workspace] } }'),
        { 'a.wasm': moduleWith('run') },
        'run.capabilities.filesystem.write: a plug-in has no workspace; remove this, or build it as a WASI command',
      ],
      [
        'arguments of a plug-in',
        'run: { runtime: wasm, entry: a.wasm, protocol: command }',
        { 'a.wasm': moduleWith('run') },
        'run.protocol: a plug-in takes and gives JSON; protocol command is for WASI commands',
      ],
    ])('%s', async (_, sidecar, files, issue) => {
      expect(await checked({ 'SKILL.md': plain, 'ambit.yaml': sidecar, ...files })).toEqual(errors([issue]));
    });

    test('a link, which the process runtime would follow', async () => {
      const files = { 'SKILL.md': plain, 'ambit.yaml': wasm('a.js'), 'b.js': '' };
      expect(await checked(files, { 'a.js': 'b.js' })).toEqual(
        errors(['run.entry: a.js is a link, which runtime wasm does not follow; replace it with the file']),
      );
      expect(await checked({ ...files, 'a.js': '' }, { 'c.json': 'b.js' })).toEqual(
        errors(['run.entry: c.json is part of it and is a link; replace it with the file']),
      );
      expect(
        await checked({ ...files, 'ambit.yaml': tool, 'scripts/x.py': '' }, { 'scripts/run.py': 'x.py' }),
      ).toEqual({ errors: [], warnings: [] });
    });
  });
});

test('prints each mistake with its line, and its parts with --json', async () => {
  const cwd = await temporaryFolder({
    'subject/SKILL.md':
      '---\r\n# mine\r\nname: subject\r\nmetadata:\r\n  year: 2026\r\nlicence: MIT\r\n---\r\n',
    'subject/ambit.yaml': `# what it is
phase: [plan]
priority: high
run:
  runtime: process
  entry: scripts/run.py
  limits:
    timeoutMS: 1
`,
  });
  const { stdout } = await runAmbit('skills validate subject --json', { cwd });
  const issue = (severity: string, file: string, line: number, message: string) => ({
    severity,
    file,
    line,
    message,
  });
  expect(JSON.parse(stdout).folders[0].issues).toEqual([
    issue('error', 'SKILL.md', 1, 'description: add a description: what it does and when to use it'),
    issue(
      'error',
      'SKILL.md',
      5,
      'metadata.year: write a string; quote it if YAML reads a number or a boolean',
    ),
    issue('error', 'ambit.yaml', 3, 'priority: write a number, not "high"'),
    issue('error', 'ambit.yaml', 8, 'unknown field "timeoutMS" in run.limits (did you mean timeoutMs?)'),
    issue('error', 'ambit.yaml', 2, 'unknown field "phase" (did you mean phases?)'),
    issue('warning', 'SKILL.md', 6, 'licence: the specification has no such field; did you mean license?'),
  ]);
});

/** A module that exports a function under each of these names, as a text with the same bytes. */
function moduleWith(...names: string[]): string {
  const section = (id: number, content: string): string => String.fromCharCode(id, content.length) + content;
  const exports = names.map((name) => `${String.fromCharCode(name.length)}${name}\0\0`).join('');
  return [
    '\0asm\u0001\0\0\0',
    section(1, '\u0001`\0\0'),
    section(3, '\u0001\0'),
    section(7, String.fromCharCode(names.length) + exports),
    section(10, '\u0001\u0002\0\u000b'),
  ].join('');
}
