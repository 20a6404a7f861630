import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';

test.each(['process', 'wasm'])('a new skill for runtime %s runs unchanged', async (runtime) => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'ambit.config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
  await trust(cwd);
  const made = await ambit(['skills', 'new', 'word-count', '--runtime', runtime], { cwd });
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
  const stdin = JSON.stringify({ text: 'one two\nthree\n' });
  expect(await ambit(['run', 'word-count', '--input', '-'], { cwd, stdin })).toEqual({
    code: 0,
    stdout: '{"words":3,"lines":2}\n',
    stderr: '',
  });
});

test.each([
  ['bash', ['--stdin', '-'], 'one two\nthree\n', '2 lines, 3 words\n'],
  ['node', ['--input', '-'], '{"text":"one two\\nthree\\n"}', '{"words":3,"lines":2}\n'],
  ['python', ['--input', '-'], '{"text":"one two\\nthree\\n"}', '{"words":3,"lines":2}\n'],
  ['js', ['--input', '-'], '{"text":"one two\\nthree\\n"}', '{"words":3,"lines":2}\n'],
])('a new skill in %s runs unchanged', async (language, args, stdin, stdout) => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'ambit.config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
  await trust(cwd);
  const made = await ambit(['skills', 'new', 'word-count', '--language', language], { cwd });
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
  expect(await ambit(['run', 'word-count', ...args], { cwd, stdin })).toEqual({
    code: 0,
    stdout,
    stderr: '',
  });
});

test('a learned skill is merged and runs', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'ambit.config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
  await trust(cwd);
  await ambit(['skills', 'new', 'word-count', '--runtime', 'wasm', '--dir', 'learned'], { cwd });
  const merged = await ambit(['skills', 'merge', 'learned', '--into', 'skills'], { cwd });
  expect(merged).toEqual({ code: 0, stdout: 'add      word-count  new, for every phase\n', stderr: '' });
  const stdin = JSON.stringify({ text: '' });
  expect(await ambit(['run', 'word-count', '--input', '-'], { cwd, stdin })).toMatchObject({
    code: 0,
    stdout: '{"words":0,"lines":0}\n',
  });
});
