import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';

const fixtures = join(repository, 'packages/runtime/src/wasm/testing/fixtures');

/** A Rust program that joins files, with a line of the skill's own above each. */
async function writeBundle(folder: string): Promise<void> {
  const filesystem = { write: ['workspace'] };
  const run = { runtime: 'wasm', protocol: 'command', entry: 'bundle.wasm', capabilities: { filesystem } };
  await writeSkills(folder, {
    bundle: { 'ambit.yaml': JSON.stringify({ run }), 'assets/header.txt': '====\n' },
  });
  await copyFile(join(fixtures, 'bundle.wasm'), join(folder, 'bundle/bundle.wasm'));
}

const daemon = sharedDaemon(async (folder) => {
  await writeBundle(folder);
  const plugin = { runtime: 'wasm', protocol: 'command', entry: 'skill.wasm' };
  await writeSkills(folder, { redact: { 'ambit.yaml': JSON.stringify({ run: plugin }) } });
  await copyFile(join(repository, 'skills/text-redact/skill.wasm'), join(folder, 'redact/skill.wasm'));
  return { skills: [{ path: folder, tier: 'verified' }] };
});

test('a WASI program processes the files of its call, and returns the files that it wrote', async () => {
  const { body } = await daemon().execute('bundle', {
    args: ['out/all.txt', 'one.txt', 'sub'],
    stdin: 'the rest\n',
    files: [
      { path: 'one.txt', text: '1\n' },
      { path: 'sub/two.txt', text: 'zwei ü\n' },
    ],
  });
  const text = '==== one.txt\n1\n==== sub/two.txt\nzwei ü\nthe rest\n';
  const bytes = Buffer.byteLength(text);
  expect({ outcome: body.outcome, files: body.files }).toEqual({
    outcome: {
      status: 'succeeded',
      output: { exitCode: 0, stdout: `${bytes} bytes in out/all.txt\n`, stderr: '' },
    },
    files: [{ path: 'out/all.txt', change: 'created', bytes, text }],
  });
  const missing = await daemon().execute('bundle', { args: ['all.txt', 'one.txt'] });
  expect({ outcome: missing.body.outcome, files: missing.body.files }).toEqual({
    outcome: {
      ...{ status: 'failed', failure: { exitCode: 2 } },
      ...{ stdout: '', stderr: 'bundle: No such file or directory (os error 44)\n' },
    },
    files: [],
  });
  const [record] = await daemon().audit('?limit=1');
  expect(record).toMatchObject({ outcome: 'failed', sandbox: 'bubblewrap', skill: { tier: 'verified' } });
});

test('a workspace passes files from one call to the next', async () => {
  const { body } = await daemon().request('POST', '/workspaces', { body: {} });
  const call = { workspace: body.id, fileContents: true };
  const first = await daemon().execute('bundle', { args: ['one.txt'], stdin: 'first\n', ...call });
  expect(first.body).toMatchObject({ workspace: { stored: true, usedBytes: 6 } });
  const second = await daemon().execute('bundle', { args: ['two.txt', 'one.txt'], ...call });
  expect(second.body.files).toMatchObject([{ path: 'two.txt', text: '==== one.txt\nfirst\n' }]);
  const failed = await daemon().execute('bundle', { args: ['three.txt', 'none.txt'], ...call });
  expect(failed.body.workspace).toMatchObject({ stored: false, why: 'the run did not succeed: failed' });
});

test('the command line calls a WASI program with files and arguments, without a daemon', async () => {
  const folder = await temporaryFolder();
  const skills = join(folder, 'skills');
  await writeBundle(skills);
  const config = join(folder, 'ambit.config.yaml');
  await writeFile(config, JSON.stringify({ skills: [{ path: skills, tier: 'local' }] }));
  await writeFile(join(folder, 'notes.txt'), 'a note\n');
  const args = ['run', 'bundle', '--config', config, '--file', 'notes.txt', '--', 'all.txt', 'notes.txt'];
  const { code, stdout, stderr } = await ambit(args, { cwd: folder });
  expect({ code, stdout, stderr: stderr.match(/^created: .*$/m)?.[0] }).toEqual({
    ...{ code: 0, stdout: '22 bytes in all.txt\n' },
    stderr: 'created: all.txt, 22 bytes',
  });
});

test('a plug-in cannot be called as a command, and a command cannot be called with JSON', async () => {
  const asCommand = await daemon().execute('redact', { args: [] });
  const withJson = await daemon().execute('bundle', { input: {} });
  expect([asCommand, withJson].map(({ status, body }) => [status, body.code, body.detail])).toEqual([
    [
      422,
      'SKILL_INVALID',
      'redact: entry skill.wasm is an Extism plug-in; protocol command and a workspace are for WASI commands',
    ],
    [
      422,
      'INPUT_INVALID',
      'bundle uses protocol command: send "args" (a list of strings) and "stdin" (a string) instead of "input"',
    ],
  ]);
});
