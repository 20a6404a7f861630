// Threat model: T247

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon, repository, version } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const shared = sharedDaemon(async () => ({}));

/** A folder without any reference to the daemon, and a file with a key for it. */
async function elsewhere(daemon: Daemon, key = daemon.key): Promise<{ cwd: string; at: string[] }> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'key'), `${key}\n`, { mode: 0o600 });
  return { cwd, at: ['--url', daemon.url, '--key-file', 'key'] };
}

const text = '{"text":"mail me at ada@example.org"}';

test('--url runs calls and reads skills, prompts and the log of a daemon from any folder', async () => {
  const daemon = shared();
  const { cwd, at } = await elsewhere(daemon);
  const run = await ambit(['run', 'text-redact', '--input', '-', '--json', ...at], { cwd, stdin: text });
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  const { executionId } = JSON.parse(run.stdout);

  const page = JSON.parse((await ambit(['audit', '--json', ...at], { cwd })).stdout);
  expect(page.records.map((record: { executionId: string }) => record.executionId)).toEqual([executionId]);
  const { next, ...listed } = (await daemon.request('GET', '/skills')).body;
  expect(next).toBe(null);
  expect(JSON.parse((await ambit(['skills', 'list', '--json', ...at], { cwd })).stdout)).toEqual(listed);
  expect(
    JSON.parse((await ambit(['skills', 'show', 'text-redact', '--json', ...at], { cwd })).stdout),
  ).toEqual((await daemon.request('GET', '/skills/text-redact')).body);
  const composed = await ambit(['prompt', '--phase', 'implement', '--json', ...at], { cwd });
  expect(JSON.parse(composed.stdout)).toEqual(
    (
      await daemon.request('POST', '/prompt', {
        body: { phase: 'implement', disclosure: 'metadata', format: 'xml' },
      })
    ).body,
  );
});

test('--url without a key, with a wrong key or without a daemon prints what to do; local commands refuse it', async () => {
  const daemon = shared();
  const { cwd, at } = await elsewhere(daemon, `ambit_${'k'.repeat(43)}`);
  expect(await ambit(['skills', 'list', '--url', daemon.url], { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(/^ambit: KEY_UNUSABLE: no key for http:.* --key-file, or set AMBIT_KEY\. /),
  });
  const own = ['--url', daemon.url, '--data-dir', daemon.dataDir];
  expect(await ambit(['skills', 'list', ...own], { cwd })).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(
      /For the daemon of this data directory, omit --url or AMBIT_URL, or pass --key-file \/.*\/key\n$/,
    ),
  });
  expect(await ambit(['skills', 'list', '--json', ...at], { cwd })).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^\{"error":\{"code":"DAEMON_REFUSED",.*"status":401\}\}\}\n$/),
  });
  expect(
    await ambit(['skills', 'list', '--url', 'http://127.0.0.1:1', '--key-file', 'key'], { cwd }),
  ).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/^ambit: DAEMON_UNREACHABLE: /),
  });
  expect(await ambit(['key', 'list', ...at], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "ambit: USAGE_INVALID: ambit key list works on local files and does not support --url: omit --url, or run the command on the daemon's machine\n",
  });
  expect(await ambit(['skills', 'list', '--url', 'ambit.example.org'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'ambit: CONFIG_INVALID: the configuration cannot be used:\n  --url: write an address such as https://ambit.example.org:7433, with nothing after the port\n',
  });
});

test('a reader that closes the pipe ends the command with 0', async () => {
  const daemon = shared();
  await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } });
  const line = `"${process.execPath}" "${join(repository, 'packages/cli/src/ambit.mjs')}" audit --follow --json --data-dir "${daemon.dataDir}"; echo "ended with $?" >&2`;
  const shell = spawn('sh', ['-c', `{ ${line}; } | head -n 1`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(shell, 'close');
  let [stdout, stderr] = ['', ''];
  shell.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  shell.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  await once(shell.stdout, 'data');
  // Nothing reads these lines. The command notices when it writes them.
  while (shell.exitCode === null) await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } });
  await gone;
  expect({ lines: stdout.split('\n').length, stderr }).toEqual({ lines: 2, stderr: 'ended with 0\n' });
});

test.skipIf(process.platform !== 'linux')(
  'output that cannot be written is an error on stderr, or only an exit code if stderr fails too (needs /dev/full)',
  async () => {
    const said = (line: string) => {
      const command = `"${process.execPath}" "${join(repository, 'packages/cli/src/ambit.mjs')}" ${line}`;
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
        cwd: tmpdir(),
        encoding: 'utf8',
      });
      return { status, stdout, stderr };
    };
    expect(said('completion bash > /dev/full')).toEqual({
      status: 4,
      stdout: '',
      stderr: expect.stringMatching(/^ambit: OUTPUT_LOST: cannot write the output to stdout: ENOSPC.*\n$/),
    });
    expect(said('nothing 2> /dev/full')).toEqual({ status: 2, stdout: '', stderr: '' });
    expect(said('--version > /dev/full').status).toBe(4);
    expect(said('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  },
);

test('an invalid AMBIT_KEY is reported without its value', async () => {
  const { code, stderr } = await ambit(['skills', 'list', '--url', 'http://127.0.0.1:1'], {
    env: { AMBIT_KEY: 'hunter2\nhunter2' },
  });
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/^ambit: KEY_UNUSABLE: AMBIT_KEY does not contain a valid key: /),
  ]);
  expect(stderr).not.toContain('hunter2');
});

test('a file is read only up to its limit, and a full temporary folder is reported', async () => {
  const [cwd, stdin] = [await temporaryFolder(), '{"csv":"a"}'];
  const line = ['run', 'csv-profile', '--input', '-'];
  expect(await ambit([...line, '--file', '/dev/zero'], { cwd, stdin })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'ambit: USAGE_INVALID: /dev/zero is larger than 8388608 bytes, the limit set by bodyLimitBytes in the configuration\n',
  });
  // In a home of its own, where no daemon of other tests runs.
  const env = { XDG_DATA_HOME: cwd };
  expect(await ambit(line, { cwd, stdin, env: { ...env, TMPDIR: join(cwd, 'none') } })).toEqual({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(
      /^ambit: DAEMON_START_FAILED: .*\nambit: SANDBOX_UNAVAILABLE: cannot write to the folder for temporary files, .*none /,
    ),
  });
  expect(await ambit(line, { cwd, stdin, env })).toMatchObject({ code: 0, stderr: '' });
});

test('doctor finds the daemon, and exits with 4 if a named daemon does not respond', async () => {
  const daemon = shared();
  const report = JSON.parse((await ambit(['doctor', '--json', '--data-dir', daemon.dataDir])).stdout);
  expect(report.checks.find(({ name }: { name: string }) => name === 'daemon')).toEqual({
    name: 'daemon',
    status: 'ok',
    found: `${daemon.url}, version ${version}`,
    meaning: 'it accepts calls',
  });
  expect(await ambit(['doctor', '--url', 'http://127.0.0.1:1'])).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('missing  daemon: http://127.0.0.1:1 does not respond: '),
  });
});
