import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { usedNothing } from '../../../packages/core/src/outcome.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);

let repositories = '';

const shared = sharedDaemon(async (folder) => {
  repositories = join(folder, '../repositories');
  for (const name of ['granted', 'other']) await makeRepository(join(repositories, name));
  return {
    grants: { 'git-summary': { filesystem: { read: [join(repositories, 'granted')] } } },
    audit: { skills: { 'text-redact': { payloads: 'digest' } } },
  };
});

describe('the daemon runs the bundled skills', () => {
  test('csv-profile summarizes a table, and text-diff shows the changes', async () => {
    const daemon = shared();
    const table = await daemon.execute('csv-profile', { input: { csv: 'city,seats\nOslo,120\nOslo,\n' } });
    expect(table.body).toMatchObject({
      outcome: {
        output: {
          rows: 2,
          columns: [
            { name: 'city', distinct: 1 },
            { name: 'seats', mean: 120 },
          ],
        },
      },
      used: { ...usedNothing, exec: [{ item: 'python3', count: 1 }] },
    });
    const texts = await daemon.execute('text-diff', { input: { before: 'one\ntwo\n', after: 'one\n2\n' } });
    expect(texts.body.outcome).toMatchObject({
      output: { diff: '--- before\n+++ after\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n', added: 1, removed: 1 },
    });
  });

  test('text-redact replaces sensitive values, and the record has only digests', async () => {
    const daemon = shared();
    const input = { text: 'ada@example.org paid with 4111 1111 1111 1111' };
    const answer = await daemon.execute('text-redact', { input });
    const output = {
      text: '[redacted-email] paid with [redacted-card]',
      found: [
        { kind: 'email', type: 'email', count: 1 },
        { kind: 'card', type: 'card-number', count: 1 },
      ],
      total: 2,
    };
    expect(answer).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: {
        executionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        outcome: { status: 'succeeded', output },
        usage: expect.objectContaining({ durationMs: expect.any(Number), queueMs: expect.any(Number) }),
        used: usedNothing,
        log: '',
        audit: { sequence: expect.any(Number), hash: digest },
      },
    });
    const nothing = {
      filesystem: { read: [], write: [] },
      network: [],
      env: [],
      secrets: [],
      exec: [],
      state: 'none',
      memory: 'none',
    };
    expect(await daemon.audit('?skill=text-redact')).toEqual([
      {
        sequence: expect.any(Number),
        executionId: answer.body.executionId,
        via: 'http',
        actor: 'key',
        startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        endedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        skill: { id: 'text-redact', version: '1.0.0', digest, tier: 'local' },
        policyDigest: digest,
        capabilities: { requested: nothing, granted: nothing, denied: [] },
        connections: [],
        used: usedNothing,
        limits: {
          timeoutMs: expect.any(Number),
          memoryBytes: expect.any(Number),
          cpuMs: expect.any(Number),
          processes: expect.any(Number),
          fileBytes: expect.any(Number),
          outputBytes: expect.any(Number),
          fuel: null,
        },
        sandbox: 'bubblewrap',
        input: { digest, bytes: Buffer.byteLength(JSON.stringify({ input })) },
        output: { digest, bytes: Buffer.byteLength(JSON.stringify(answer.body.outcome.output)) },
        stored: {},
        outcome: 'succeeded',
        failure: null,
        usage: answer.body.usage,
        error: null,
        request: null,
      },
    ]);
  });

  test('git-summary reads only the granted repository', async () => {
    const daemon = shared();
    const granted = await daemon.execute('git-summary', { args: [join(repositories, 'granted')] });
    expect(granted.body.outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: expect.stringContaining('2026-01-02 `Ada`: `first`'), stderr: '' },
    });
    const other = await daemon.execute('git-summary', { args: [join(repositories, 'other')] });
    expect(other.body.outcome).toEqual({
      status: 'failed',
      failure: { exitCode: 2 },
      stdout: '',
      stderr: expect.stringContaining('the operator has granted it'),
    });
    expect(
      (await daemon.audit('?skill=git-summary')).map(({ outcome, capabilities }) => ({
        outcome,
        granted: capabilities.granted.filesystem,
      })),
    ).toEqual([
      { outcome: 'failed', granted: { read: [join(repositories, 'granted')], write: [] } },
      { outcome: 'succeeded', granted: { read: [join(repositories, 'granted')], write: [] } },
    ]);
  });
});

describe('the start banner', () => {
  test('has a command that returns a real result when pasted', async () => {
    const daemon = shared();
    const line =
      daemon
        .printed()
        .split('\n')
        .find((each) => each.includes('| curl ')) ?? '';
    const { stdout } = await run('/bin/sh', ['-c', line]);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: { status: 'succeeded', output: { text: 'mail me at [redacted-email]', total: 1 } },
    });
  });

  test('names the address, skills, sandboxes, key file and log, but not the key', async () => {
    const daemon = shared();
    expect(daemon.printed().split('\n').slice(0, 7)).toEqual([
      `Ambit is listening on ${daemon.url}`,
      '',
      '  skills           8, 6 executable',
      '  process sandbox  bubblewrap',
      '  wasm sandbox     bubblewrap',
      `  key file         ${join(daemon.dataDir, 'key')}`,
      `  audit log        ${join(daemon.dataDir, 'audit.db')}`,
    ]);
    expect(daemon.printed()).not.toContain(daemon.key);
  });
});

test('ambit skills validate finds no errors in the bundled skills', async () => {
  const { code, stdout } = await ambit(['skills', 'validate', '--json']);
  expect(code).toBe(0);
  const { valid, folders } = JSON.parse(stdout);
  expect({ valid, errors: folders.map(({ errors }: { errors: string[] }) => errors) }).toEqual({
    valid: true,
    errors: Array(8).fill([]),
  });
});

test('ambit doctor tests the sandbox of this machine', async () => {
  const { code, stdout } = await ambit(['doctor', '--json'], { cwd: await temporaryFolder() });
  const sandbox = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'process sandbox');
  expect({ code, sandbox }).toMatchObject({
    code: 0,
    sandbox: { status: 'ok', found: 'bubblewrap, tested' },
  });
});

async function makeRepository(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const date = '2026-01-02T03:04:05Z';
  const env = { PATH: '/usr/bin:/bin', HOME: folder, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder, env });
  await git('init', '-q', '-b', 'main');
  await writeFile(join(folder, 'file'), 'text\n');
  await git('add', 'file');
  await git('commit', '-q', '-m', 'first');
}
