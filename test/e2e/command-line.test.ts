import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ambit, repository } from '../support/daemon-process.ts';
import { type Daemon, startDaemon, temporaryFolder } from './support/daemon.ts';

/** A folder that knows nothing of the daemon, and a file with a key for it. */
async function elsewhere(daemon: Daemon, key = daemon.key): Promise<{ cwd: string; at: string[] }> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'key'), `${key}\n`, { mode: 0o600 });
  return { cwd, at: ['--url', daemon.url, '--key-file', 'key'] };
}

const text = '{"text":"mail me at ada@example.org"}';

test('a daemon at an address is asked for calls, skills, prompts and its log, from wherever', async () => {
  const daemon = await startDaemon();
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

test('without a key, with a wrong one, or where nobody is, it says what to do; what works here refuses an address', async () => {
  const daemon = await startDaemon();
  const { cwd, at } = await elsewhere(daemon, `ambit_${'k'.repeat(43)}`);
  expect(await ambit(['skills', 'list', '--url', daemon.url], { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(
      /^ambit: KEY_UNUSABLE: there is no key for http:.* --key-file, or into AMBIT_KEY; /,
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
      'ambit: USAGE_INVALID: ambit key list works on files of this machine, and asks no daemon at an address: leave out --url, or run it where the daemon runs\n',
  });
  expect(await ambit(['skills', 'list', '--url', 'ambit.example.org'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'ambit: CONFIG_INVALID: the configuration cannot be used:\n  --url: write an address such as https://ambit.example.org:7433, with nothing after the port\n',
  });
});

test('a reader that goes away ends the command in peace', async () => {
  const daemon = await startDaemon();
  await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } });
  const line = `"${process.execPath}" "${join(repository, 'packages/server/src/ambit.mjs')}" audit --follow --json --data-dir "${daemon.dataDir}"; echo "ended with $?" >&2`;
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
  // Each is printed for nobody, until the command has seen that there is nobody.
  while (shell.exitCode === null) await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } });
  await gone;
  expect({ lines: stdout.split('\n').length, stderr }).toEqual({ lines: 2, stderr: 'ended with 0\n' });
});

test('the doctor finds the daemon, and ends with 4 when it has one to find that does not answer', async () => {
  const daemon = await startDaemon();
  const report = JSON.parse((await ambit(['doctor', '--json', '--data-dir', daemon.dataDir])).stdout);
  expect(report.checks.find(({ name }: { name: string }) => name === 'daemon')).toEqual({
    ...{ name: 'daemon', status: 'ok', found: `${daemon.url}, version 0.1.0` },
    meaning: 'it answers, and takes calls',
  });
  expect(await ambit(['doctor', '--url', 'http://127.0.0.1:1'])).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('missing  daemon: http://127.0.0.1:1 does not answer: '),
  });
});
