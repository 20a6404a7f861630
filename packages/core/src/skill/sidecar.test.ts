// Threat model: T57, T167, T212

import { describe, expect, test } from 'vitest';
import { SkillError } from '../outcome/skill-error.ts';
import { isPython } from './run.ts';
import { readSidecar } from './sidecar.ts';

test('an empty sidecar makes a skill for every phase and agent, with nothing to run', () => {
  expect(readSidecar('')).toEqual({
    phases: [],
    priority: 50,
    tags: [],
    agents: [],
    requires: {},
    conflicts: [],
    campaigns: [],
    sections: [],
    mcpServers: {},
    context: [],
    injection: { mode: 'on-demand', delivery: 'instruction' },
    namedRuns: {},
  });
});

test('a run without capabilities and limits requests nothing and asks for no limits', () => {
  expect(readSidecar('run: { runtime: process, entry: scripts/run.py }').run).toEqual({
    runtime: 'process',
    entry: 'scripts/run.py',
    cwd: 'workspace',
    prewarm: 0,
    protocol: 'json',
    capabilities: {
      filesystem: { read: [], write: [] },
      network: [],
      env: [],
      secrets: [],
      exec: [],
      state: 'none',
      memory: 'none',
    },
    limits: {},
  });
});

test.each([
  ['Implement', ['implement']],
  ['[Plan, TEST]', ['plan', 'test']],
  ['"*"', []],
  ['[plan, "*"]', []],
])('reads phases %s without case, and * as every phase', (text, phases) => {
  expect(readSidecar(`phases: ${text}`).phases).toEqual(phases);
});

test('reports all mistakes together, an unknown key with the nearest known key', () => {
  const text =
    'versoin: 1.0.0\npriority: high\nrun:\n  runtime: wasm\n  entry: ../x.wasm\n  limits: { timeoutMS: 1 }\n';
  const issues = [
    'priority: write a number, not "high"',
    'run.entry: stay inside the skill folder',
    'unknown field "timeoutMS" in run.limits (did you mean timeoutMs?)',
    'unknown field "versoin" (did you mean version?)',
  ];
  const refusal = (): unknown => readSidecar(text);
  expect(refusal).toThrow(
    new SkillError('SKILL_INVALID', `ambit.yaml: ${issues.join('; ')}`, { details: { issues } }),
  );
});

test.each([
  [
    'an absolute entry',
    'run: { runtime: process, entry: /bin/sh }',
    'run.entry: stay inside the skill folder',
  ],
  [
    'a NUL in the entry',
    'run: { runtime: process, entry: "a\\0b" }',
    'run.entry: write a plain path with forward slashes',
  ],
  [
    'a path that leaves the folder',
    'run: { runtime: process, entry: a, capabilities: { filesystem: { read: [/srv/../etc] } } }',
    'run.capabilities.filesystem.read.0: write the path without "//", "." or ".." and without a trailing slash',
  ],
  [
    'a program given as a path',
    'run: { runtime: process, entry: a, capabilities: { exec: [/bin/sh] } }',
    'run.capabilities.exec.0: write the name of a program, not a path: python3',
  ],
  ['a wrong version', 'version: "1"', 'version: write a version such as 1.2.0'],
  ['a wrong range', 'requires: { other: "not a range" }', 'requires.other: write a range such as ^1.0.0'],
  ['invalid YAML', 'a: [', /^ambit\.yaml is not YAML: /],
])('%s is refused', (_, text, message) => {
  expect(() => readSidecar(text)).toThrow(typeof message === 'string' ? `ambit.yaml: ${message}` : message);
});

test('reports a key of another runtime as such, without suggesting it', () => {
  const issuesOf = (run: string): unknown => {
    try {
      return readSidecar(`run: ${run}`).run;
    } catch (error) {
      return (error as SkillError).details['issues'];
    }
  };
  expect(issuesOf('{ runtime: wasm, entry: a.js, prewarm: 2 }')).toEqual([
    'unknown field "prewarm" in run (it belongs to runtime process)',
  ]);
  expect(issuesOf('{ runtime: process, entry: a.js, prewarm: 2 }')).toMatchObject({ prewarm: 2 });
  expect(issuesOf('{ runtime: wasm, entry: a.js, protocl: json }')).toEqual([
    'unknown field "protocl" in run (did you mean protocol?)',
  ]);
  expect(issuesOf('{ runtime: wasm, entyr: a.js, protocol: json }')).toContain(
    'unknown field "entyr" in run (did you mean entry?)',
  );
  expect(issuesOf('{ runtime: wasm, entry: a.js, protocol: command }')).toEqual([
    'run.protocol: a script takes and gives JSON; protocol command is for programs and WASI commands',
  ]);
  expect(issuesOf('{ runtime: wasm, entry: a.js, protocol: json }')).toMatchObject({ protocol: 'json' });
});

test('reads the function of a plug-in, and reports a typo in the key', () => {
  const run = (more: string): string => `run: { runtime: wasm, entry: a.wasm, ${more} }`;
  expect(readSidecar(run('function: count_vowels')).run).toMatchObject({ function: 'count_vowels' });
  expect(() => readSidecar(run('fuction: count_vowels'))).toThrow(
    'ambit.yaml: unknown field "fuction" in run (did you mean function?)',
  );
  expect(() => readSidecar('run: { runtime: process, entry: a.py, function: main }')).toThrow(
    'ambit.yaml: unknown field "function" in run (it belongs to runtime wasm)',
  );
  expect(() => readSidecar('run: { runtime: wasm, entry: a.js, function: main }')).toThrow(
    'ambit.yaml: run.function: a script is called by its default export; function is for Extism plug-ins',
  );
  for (const name of ['ambit:begin', 'a\\nb'])
    expect(() => readSidecar(run(`function: "${name}"`))).toThrow(
      'ambit.yaml: run.function: name an export; names that begin with ambit: are not for skills',
    );
});

describe('a Python script in WebAssembly', () => {
  const run = (more: string) => readSidecar(`run: { runtime: wasm, ${more} }`).run;

  test.each(['json', 'command'])('uses protocol %s, with a workspace', (protocol) => {
    expect(
      run(`entry: scripts/a.py, protocol: ${protocol}, capabilities: { filesystem: { write: [workspace] } }`),
    ).toMatchObject({ runtime: 'wasm', entry: 'scripts/a.py', protocol });
  });

  test.each([
    ['entry: scripts/a.py', true],
    ['entry: bin/a, interpreter: python', true],
    ['entry: bin/a', false],
    ['entry: a.wasm', false],
    ['entry: a.js', false],
  ])('is what { %s } names: %s', (fields, expected) => {
    const parsed = run(fields);
    expect(parsed && isPython(parsed)).toBe(expected);
  });

  test('is not a script that runs as a program', () => {
    expect(isPython({ runtime: 'process', entry: 'scripts/a.py' })).toBe(false);
  });

  test.each([
    [
      'entry: a.py, function: main',
      'run.function: a Python script runs from its first line; function is for Extism plug-ins',
    ],
    [
      'entry: a.py, protocol: command, function: main',
      'run.function: a Python script runs from its first line; function is for Extism plug-ins',
    ],
    [
      'entry: a.js, interpreter: python',
      'run.interpreter: interpreter python is for Python scripts; remove it',
    ],
    [
      'entry: a.wasm, interpreter: python',
      'run.interpreter: interpreter python is for Python scripts; remove it',
    ],
  ])('has one refusal for { %s }', (fields, issue) => {
    expect(() => run(fields)).toThrow(
      new SkillError('SKILL_INVALID', `ambit.yaml: ${issue}`, { details: { issues: [issue] } }),
    );
  });

  test('has no interpreter but python', () => {
    expect(() => run('entry: bin/a, interpreter: ruby')).toThrow(
      'ambit.yaml: run.interpreter: write python, not "ruby"',
    );
  });

  test('can be a named script without .py', () => {
    const { namedRuns } = readSidecar(
      'run: { runtime: wasm, scripts: { pack: { entry: bin/pack, interpreter: python } } }',
    );
    expect(namedRuns['pack']?.run).toMatchObject({ entry: 'bin/pack', interpreter: 'python' });
  });
});

test('reads text as plain text and everything else as a schema', () => {
  const run = (payload: string): string => `run: { runtime: process, entry: a.py, output: ${payload} }`;
  expect(readSidecar(run('text')).run?.output).toBe('text');
  expect(readSidecar(run('{ type: string }')).run?.output).toEqual({ type: 'string' });
  expect(() => readSidecar(run('txt'))).toThrow(
    'ambit.yaml: run.output: write a JSON Schema, or text for plain text',
  );
});

test('prewarms only programs that need nothing from the call to start', () => {
  const run = (more: string): string => `run: { runtime: process, entry: scripts/run.py, prewarm: 2${more} }`;
  expect(readSidecar(run('')).run).toMatchObject({ prewarm: 2 });
  expect(() => readSidecar(run(', protocol: command'))).toThrow(/prewarm.*protocol json/);
  expect(() => readSidecar(run(', capabilities: { filesystem: { write: [workspace] } }'))).toThrow(
    /prewarm.*workspace/,
  );
  for (const capabilities of ['state: read', 'state: write', 'memory: read'])
    expect(() => readSidecar(run(`, capabilities: { ${capabilities} }`))).toThrow(/prewarm.*state or memory/);
});
