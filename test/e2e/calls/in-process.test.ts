import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ambit, repository } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const skills = join(repository, 'skills');
const example = (name: string, ...args: readonly string[]) =>
  run(process.execPath, [join(repository, 'examples/in-process', name), skills, ...args]);

test('a program without a daemon has a call refused, its twin permitted, and both in a log that verifies', async () => {
  const [data, project] = [await temporaryFolder(), await temporaryFolder()];
  // The user of skills, if root runs the tests.
  await chmod(project, 0o755);
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  await run('git', ['init', '--quiet', project]);
  await run('git', ['-C', project, ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'first']);

  const { stdout } = await example('run.ts', data, project);
  const [refused, permitted = '', ...rest] = stdout.trimEnd().split('\n');
  expect([refused, rest]).toEqual([
    'CAPABILITY_DENIED: git-summary needs filesystem.read, which is not granted. Add to ambit.config.yaml: grants: { git-summary: { filesystem: { read: [/path/to/folder] } } }',
    [],
  ]);
  expect(JSON.parse(permitted)).toEqual({
    status: 'succeeded',
    output: { exitCode: 0, stdout: expect.stringContaining('1 commit in the history.'), stderr: '' },
  });

  const log = join(data, 'audit.db');
  const verified = await ambit(['audit', 'verify', '--log', log, '--json']);
  expect([verified.code, JSON.parse(verified.stdout)]).toEqual([
    0,
    expect.objectContaining({ intact: true, events: 4 }),
  ]);
  const listed = await ambit(['audit', '--via', 'library', '--data-dir', data, '--json']);
  const records: Record<string, unknown>[] = JSON.parse(listed.stdout).records;
  expect(records.map(({ via, actor, outcome, sandbox }) => ({ via, actor, outcome, sandbox }))).toEqual([
    { via: 'library', actor: 'bot', outcome: 'succeeded', sandbox: 'bubblewrap' },
    { via: 'library', actor: 'bot', outcome: 'denied', sandbox: null },
  ]);
});

test.each([
  ['a program', 'csv-profile', { csv: 'a\n1\n' }, { output: expect.objectContaining({ rows: 1 }) }],
  ['WebAssembly', 'text-redact', { text: 'x' }, { output: { text: 'x', found: [], total: 0 } }],
])('a grant and an executor alone run %s', async (_, skill, input, ended) => {
  const { stdout } = await example('execute.ts', skill, JSON.stringify(input));
  expect(JSON.parse(stdout)).toEqual({ status: 'succeeded', ...ended });
});

test('no grant is made for a call that policy refuses, so no executor can be called', async () => {
  await expect(example('execute.ts', 'git-summary', '{}')).rejects.toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('SkillError: git-summary needs filesystem.read, which is not granted'),
  });
});
