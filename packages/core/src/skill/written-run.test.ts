import { expect, test } from 'vitest';
import { readSidecar } from './sidecar.ts';

const run = (text: string) => readSidecar(`run: ${text}`);

test('a named script inherits from the run, except schemas and prewarming', () => {
  const { run: main, namedRuns } = run(`
  runtime: process
  entry: scripts/main.py
  input: { type: object }
  prewarm: 2
  capabilities: { exec: [python3] }
  limits: { timeoutMs: 5000 }
  scripts:
    pack: scripts/pack.py
    unpack:
      entry: ./scripts/unpack.py
      description: Unpacks a document.
      protocol: command
      capabilities: { exec: [python3, unzip] }
`);
  if (main === undefined) throw new Error('it has an entry');
  const limits = { timeoutMs: 5000 };
  expect(main).toMatchObject({ entry: 'scripts/main.py', input: { type: 'object' }, prewarm: 2, limits });
  const shared = { runtime: 'process', cwd: 'workspace', prewarm: 0, limits };
  expect(namedRuns).toEqual({
    pack: {
      run: { ...shared, entry: 'scripts/pack.py', protocol: 'json', capabilities: main.capabilities },
      description: undefined,
    },
    unpack: {
      run: {
        ...shared,
        entry: 'scripts/unpack.py',
        protocol: 'command',
        capabilities: { ...main.capabilities, exec: ['python3', 'unzip'] },
      },
      description: 'Unpacks a document.',
    },
  });
});

test('a run needs an entry or scripts', () => {
  expect(run('{ runtime: process, scripts: { pack: scripts/pack.py } }')).not.toHaveProperty('run');
  expect(() => run('{ runtime: process }')).toThrow('ambit.yaml: run.entry is missing; write a string');
});

test.each([
  [
    'a name that could be a path',
    '{ runtime: process, scripts: { a/b: run.py } }',
    'ambit.yaml: run.scripts.a/b: "a/b": name it with a-z, 0-9 and single hyphens',
  ],
  [
    'a path out of the folder',
    '{ runtime: process, scripts: { a: ../run.py } }',
    'ambit.yaml: run.scripts.a: stay inside the skill folder',
  ],
  [
    'an unknown key',
    '{ runtime: process, scripts: { a: { entry: run.py, prewarm: 2 } } }',
    'ambit.yaml: unknown field "prewarm" in run.scripts.a (allowed fields: entry, input, output, description, ',
  ],
  [
    'a protocol that its file does not support',
    '{ runtime: wasm, protocol: command, scripts: { a: index.js } }',
    'ambit.yaml: run.scripts.a.protocol: a script takes and gives JSON; protocol command is for programs and WASI commands',
  ],
])('refuses %s with its location', (_, text, message) => {
  expect(() => run(text)).toThrow(message);
});
