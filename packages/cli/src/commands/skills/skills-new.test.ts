import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { runAmbit } from '../../testing/run-ambit.ts';

test.each([
  ['--runtime prompt', 'prompt', ['SKILL.md', 'ambit.yaml']],
  ['--runtime process', 'process', ['SKILL.md', 'ambit.yaml', 'scripts/run.py']],
  ['--runtime wasm', 'wasm', ['SKILL.md', 'ambit.yaml', 'index.js']],
  ['--language bash', 'process', ['SKILL.md', 'ambit.yaml', 'scripts/run.sh']],
  ['--language node', 'process', ['SKILL.md', 'ambit.yaml', 'scripts/run.mjs']],
  ['--language python --runtime process', 'process', ['SKILL.md', 'ambit.yaml', 'scripts/run.py']],
  ['--language js', 'wasm', ['SKILL.md', 'ambit.yaml', 'index.js']],
])(
  'a new skill with %s validates without warnings and lints without findings',
  async (flags, runtime, files) => {
    const cwd = await temporaryFolder();
    const made = await runAmbit(`skills new word-count ${flags} --json`, { cwd });
    expect({ ...made, stdout: JSON.parse(made.stdout) }).toEqual({
      exitCode: 0,
      stdout: { name: 'word-count', runtime, folder: join(cwd, 'skills/word-count'), files },
      stderr: '',
    });
    const validated = JSON.parse((await runAmbit('skills validate skills --json', { cwd })).stdout);
    const linted = JSON.parse((await runAmbit('skills lint skills --strict --json', { cwd })).stdout);
    expect([validated.folders[0].issues, linted.folders[0].findings]).toEqual([[], []]);
  },
);

test('any description is read back unchanged', async () => {
  const cwd = await temporaryFolder();
  const description = 'Says: "no" # and\n---\nwhen to: use it';
  await runAmbit(['skills', 'new', 'a', '--dir', '.', '--description', description], { cwd });
  const { stdout } = await runAmbit('skills index . --json', { cwd });
  expect(JSON.parse(stdout).skills[0].description).toBe(description);
});

test('prints the next steps', async () => {
  const cwd = await temporaryFolder();
  const { stdout } = await runAmbit('skills new word-count --runtime wasm --dir tools', { cwd });
  expect(stdout).toBe(`Created ${cwd}/tools/word-count
  SKILL.md
  ambit.yaml
  index.js

Next:
  1. In SKILL.md, describe what it does and when to use it. Models choose skills by their description.
  2. ambit skills validate ./tools/word-count && ambit skills lint ./tools/word-count
  3. If ambit.config.yaml does not include its folder yet, add it:
       skills: [{ path: ./tools, tier: local }]
  4. Run it:
       ambit run word-count --input '{"text":"one two"}'
`);
});

test('the program is executable', async () => {
  const cwd = await temporaryFolder();
  await runAmbit('skills new a --runtime process', { cwd });
  expect((await stat(join(cwd, 'skills/a/scripts/run.py'))).mode & 0o777).toBe(0o755);
});

test.each([
  [
    'Word Count',
    '"Word Count" is not a valid skill name: use 1 to 64 of a-z, 0-9 and single hyphens, such as word-count',
  ],
  ['../up', '"../up" is not a valid skill name: use 1 to 64 of a-z, 0-9 and single hyphens, such as up'],
  ['', '"" is not a valid skill name: use 1 to 64 of a-z, 0-9 and single hyphens, such as word-count'],
])('refuses the name %j and suggests a valid one', async (name, message) => {
  const cwd = await temporaryFolder();
  expect(await runAmbit(['skills', 'new', name], { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ambit: USAGE_INVALID: ${message}\n`,
  });
});

test('refuses a language of another runtime', async () => {
  const cwd = await temporaryFolder();
  expect(await runAmbit('skills new a --language bash --runtime wasm', { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'ambit: USAGE_INVALID: --language bash needs --runtime process, not wasm; omit --runtime\n',
  });
});

test('leaves an existing folder unchanged', async () => {
  const cwd = await temporaryFolder({ 'skills/mine/notes.md': 'keep' });
  expect(await runAmbit('skills new mine', { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ambit: USAGE_INVALID: ${cwd}/skills/mine already exists; choose another name or --dir, or move it away\n`,
  });
  expect(await readFile(join(cwd, 'skills/mine/notes.md'), 'utf8')).toBe('keep');
});

test('refuses a description that is too long and creates nothing', async () => {
  const cwd = await temporaryFolder();
  const made = async (characters: number) =>
    (await runAmbit(['skills', 'new', 'a', '--description', 'x'.repeat(characters)], { cwd })).exitCode;
  expect([await made(1025), await made(1024)]).toEqual([2, 0]);
});
