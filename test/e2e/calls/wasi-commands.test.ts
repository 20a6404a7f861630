import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { repository } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';

const fixtures = join(repository, 'packages/runtime/src/wasm/testing/fixtures');

/** `bundle` is a Rust program that joins files, with a line of the skill's own above each. */
const daemon = sharedDaemon(async (folder) => {
  const command = { runtime: 'wasm', protocol: 'command' };
  const capabilities = { filesystem: { write: ['workspace'] } };
  const sidecar = (run: object) => JSON.stringify({ run: { ...command, ...run } });
  await writeSkills(folder, {
    bundle: {
      'ambit.yaml': sidecar({ entry: 'bundle.wasm', capabilities }),
      'assets/header.txt': '====\n',
    },
    redact: { 'ambit.yaml': sidecar({ entry: 'skill.wasm' }) },
  });
  await copyFile(join(fixtures, 'bundle.wasm'), join(folder, 'bundle/bundle.wasm'));
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
      status: 'failed',
      failure: { exitCode: 2 },
      stdout: '',
      stderr: 'bundle: No such file or directory (os error 44)\n',
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
