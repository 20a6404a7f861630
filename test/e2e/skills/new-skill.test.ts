import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let skills = '';

const shared = sharedDaemon((path) => {
  skills = path;
  return { skills: [{ path, tier: 'local' }] };
});

const call = { input: { text: 'one two\nthree\n' } };
const counted = { words: 3, lines: 2 };

test.each([
  ['--runtime', 'process', call, counted],
  ['--runtime', 'wasm', call, counted],
  [
    '--language',
    'bash',
    { stdin: 'one two\nthree\n' },
    { exitCode: 0, stdout: '2 lines, 3 words\n', stderr: '' },
  ],
  ['--language', 'node', call, counted],
])('a new skill made with %s %s runs unchanged', async (option, value, given, output) => {
  const name = `word-count-${value}`;
  const made = await ambit(['skills', 'new', name, option, value, '--dir', skills]);
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
  expect((await shared().execute(name, given)).body.outcome).toEqual({ status: 'succeeded', output });
});

test('a learned skill is merged and runs', async () => {
  const learned = join(await temporaryFolder(), 'learned');
  await ambit(['skills', 'new', 'word-count', '--runtime', 'wasm', '--dir', learned]);
  const merged = await ambit(['skills', 'merge', learned, '--into', skills]);
  expect(merged).toEqual({ code: 0, stdout: 'add      word-count  new, for every phase\n', stderr: '' });
  expect((await shared().execute('word-count', { input: { text: '' } })).body.outcome).toEqual({
    status: 'succeeded',
    output: { words: 0, lines: 0 },
  });
});
