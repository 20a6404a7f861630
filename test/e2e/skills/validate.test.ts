import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const script = (content: string, more: Record<string, string> = {}) => ({
  'ambit.yaml': 'run: { runtime: wasm, entry: index.js, input: { type: object } }',
  'index.js': content,
  ...more,
});
const program = (run: string, more: Record<string, string> = {}) => ({
  'ambit.yaml': `run: { runtime: process, input: { type: object }, ${run} }`,
  ...more,
});

/** Skills that `run` refuses with SKILL_INVALID, with part of the reason. */
const invalid: Record<string, [Record<string, string>, RegExp]> = {
  'no-parse': [script('export default () => {'), /entry index\.js cannot be run: SyntaxError/],
  'no-import': [
    script("import { a } from './lib/a.js';\nexport default () => a;"),
    /entry index\.js cannot be run: ReferenceError: lib\/a\.js does not exist in the skill's folder/,
  ],
  'no-name': [
    script("import { b } from './a.js';\nexport default () => b;", { 'a.js': 'export const a = 1;' }),
    /entry index\.js cannot be run: SyntaxError: .*'b'/,
  ],
  'no-default': [script('export const run = () => 1;'), /entry index\.js cannot be run: SyntaxError/],
  'no-interpreter': [
    program('entry: tool', { tool: 'what runs this?' }),
    /entry tool has no shebang and no known extension/,
  ],
  'no-exec': [
    program('entry: tool.py', { 'tool.py': 'print(1)' }),
    /entry tool\.py runs with python3, which ambit\.yaml does not request/,
  ],
  'no-schema': [
    {
      'ambit.yaml':
        'run: { runtime: process, entry: tool.py, capabilities: { exec: [python3] }, input: { type: object, properties: { a: { type: nothing } } } }',
      'tool.py': 'print(1)',
    },
    /the skill's JSON Schema /,
  ],
};

const valid = {
  'good-script': script("import { a } from './a.js';\nexport default () => a;", {
    'a.js': 'export const a = 1;',
  }),
  'good-program': program('entry: tool.py, capabilities: { exec: [python3] }', { 'tool.py': 'print(1)' }),
};

test('validate reports what run refuses with SKILL_INVALID, with the same wording', async () => {
  const cwd = await temporaryFolder();
  const bad = Object.fromEntries(Object.entries(invalid).map(([name, [files]]) => [name, files]));
  await writeSkills(join(cwd, 'skills'), { ...bad, ...valid });
  const daemon = await startDaemon({ skills: [{ path: join(cwd, 'skills'), tier: 'local' }] });

  const validated = await ambit(['skills', 'validate', 'skills', '--json'], { cwd });
  expect({ code: validated.code, stderr: validated.stderr }).toEqual({ code: 3, stderr: '' });
  const folders: { folder: string; errors: string[] }[] = JSON.parse(validated.stdout).folders;
  const errorsOf = (name: string) => folders.find(({ folder }) => folder.endsWith(`/${name}`))?.errors ?? [];

  for (const [name, [, reason]] of Object.entries(invalid)) {
    const errors = errorsOf(name);
    expect({ name, errors }).toEqual({ name, errors: [expect.stringMatching(reason)] });
    const words = (errors[0] ?? '').replace('ambit.yaml: ', '').split('\n', 1)[0] ?? '';
    const refused = (await daemon.execute(name, { input: {} })).body;
    expect({ name, code: refused.code, detail: refused.detail }).toEqual({
      name,
      code: 'SKILL_INVALID',
      detail: expect.stringContaining(words),
    });
  }
  for (const name of Object.keys(valid)) {
    expect({ name, errors: errorsOf(name) }).toEqual({ name, errors: [] });
    expect((await daemon.execute(name, { input: {} })).body.outcome).toEqual({
      status: 'succeeded',
      output: 1,
    });
  }
});

test('validate runs no code of a skill', async () => {
  const cwd = await temporaryFolder();
  await writeSkills(join(cwd, 'skills'), {
    loops: script('for (;;) {}\nexport default () => 1;'),
    throws: script('throw new Error("ran");\nexport default () => 1;'),
  });
  expect(await ambit(['skills', 'validate', 'skills'], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 valid, 0 invalid'),
  });
});
