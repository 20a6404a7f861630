// Threat model: T111, T117

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ambit, daemonProcess, trust } from '../../support/daemon-process.ts';
import { localServer } from '../../support/local-server.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const config = `# the operator's own
skills: [{ path: ./skills, tier: local }]
logLevel: warn # quiet
`;

/** A folder with a trusted configuration and these skills. */
async function project(skills: Parameters<typeof writeSkills>[1]): Promise<string> {
  const folder = await temporaryFolder();
  await writeSkills(join(folder, 'skills'), skills);
  await writeFile(join(folder, 'ambit.config.yaml'), config);
  await trust(folder);
  return folder;
}

test('applying each proposal makes a refused call succeed, and then nothing is missing', async () => {
  const { port } = await localServer();
  const sidecar =
    '# the author\nrun:\n  runtime: wasm\n  entry: index.js\n  capabilities: { env: [TZ] } # zone\n';
  const script = `import { fetch } from 'ambit';
export default async () => (await fetch('http://127.0.0.1:${port}/')).text();`;
  const cwd = await project({ asks: { 'ambit.yaml': sidecar, 'index.js': script } });
  const args = ['--data-dir', join(cwd, 'data')];
  const daemon = await daemonProcess(cwd, {}, { unconfigured: true });
  onTestFinished(async () => void (await daemon.stop('SIGKILL')));

  const propose = () => ambit(['skills', 'propose', 'asks', ...args], { cwd });
  const apply = async (program: string, patch: string) => {
    execFileSync(program, program === 'git' ? ['apply', '-p0'] : ['-p0'], {
      cwd,
      input: patch,
      stdio: 'pipe',
    });
    await trust(cwd);
    expect(await ambit(['config', 'reload', ...args], { cwd })).toMatchObject({ code: 0 });
  };
  const call = async () => (await daemon.execute('asks', { input: {} })).body;

  expect(await call()).toMatchObject({ code: 'CAPABILITY_DENIED' });
  const first = await propose();
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n\+ {6}- TZ\n$/) });
  expect(first.stderr).toMatch(/^Read 1 record of asks, /);
  await apply('patch', first.stdout);

  expect((await call()).outcome).toMatchObject({ status: 'capability-violated', capability: 'network' });
  const second = await propose();
  expect(second.stderr).toContain(
    `warning: network http://127.0.0.1:${port} reaches a loopback address, which is not on the public internet\n`,
  );
  await apply('git', second.stdout);

  expect((await call()).outcome).toEqual({ status: 'succeeded', output: 'hello' });
  expect(await propose()).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^Read 3 records of asks, .*\nIts current grant covers everything /),
  });
  expect([
    await readFile(join(cwd, 'ambit.config.yaml'), 'utf8'),
    await readFile(join(cwd, 'skills/asks/ambit.yaml'), 'utf8'),
  ]).toEqual([
    `${config}grants:\n  asks:\n    env:\n      - TZ\n    network:\n      - http://127.0.0.1:${port}\n`,
    sidecar.replace('{ env: [TZ] }', `{ env: [TZ], network: [http://127.0.0.1:${port}] }`),
  ]);

  const served = await daemon.request('GET', '/skills/asks/proposal');
  const { files, written, ...local } = JSON.parse(
    (await ambit(['skills', 'propose', 'asks', '--json', ...args], { cwd })).stdout,
  );
  expect({ status: served.status, body: served.body, files, written }).toEqual({
    status: 200,
    body: local,
    files: [],
    written: false,
  });
  // It used the host; nothing read the variable.
  expect(local).toMatchObject({ items: [], unused: [{ capability: 'env', item: 'TZ' }] });
});

test('--write grants what the error message of a script names, and its next call succeeds', async () => {
  const cwd = await project({ hash: { 'scripts/hash.sh': '#!/bin/bash\nset -e\ngit --version\n' } });
  const run = () => ambit(['run', 'hash', '--json', '--', 'x'], { cwd });
  expect(await ambit(['skills', 'propose', 'hash'], { cwd })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^The log has no calls of hash\..*Next: ambit run hash -- ARGUMENTS\n$/s),
  });
  expect(JSON.parse((await run()).stdout).outcome).toMatchObject({ status: 'failed' });
  const written = await ambit(['skills', 'propose', 'hash', '--write'], { cwd });
  expect(written).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(
      /\nThe changed configuration is trusted\.\nThe running daemon uses it now\.\nNext: ambit run hash\n$/,
    ),
  });
  expect(await readFile(join(cwd, 'ambit.config.yaml'), 'utf8')).toBe(
    `${config}grants:\n  hash:\n    exec:\n      - git\n`,
  );
  expect(JSON.parse((await run()).stdout).outcome).toMatchObject({ status: 'succeeded' });
});

/** A server on loopback that greets, its origin, and the paths that it was asked for. */
async function greeter() {
  const asked: string[] = [];
  const { origin } = await localServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('hello');
  });
  return { asked, origin };
}

test('a trial of an installed skill needs its approval, reaches nothing, and shows what it tried', async () => {
  const { asked, origin } = await greeter();
  const cwd = await project({});
  // Not in `/tmp`, where every run has its own folder.
  const outside = await mkdtemp('/var/tmp/ambit-test-');
  onTestFinished(() => rm(outside, { recursive: true }));
  const [source, file] = [join(cwd, 'acme'), join(outside, 'in.csv')];
  await writeFile(file, 'a,b');
  const capabilities = { exec: ['python3'], env: ['REGION'], network: [origin] };
  const run = { runtime: 'process', entry: 'scripts/run.py', protocol: 'command', capabilities };
  const script = `import os, pathlib, urllib.request
print(os.environ.get("REGION", "nowhere"))
try: print(urllib.request.urlopen("${origin}/a", timeout=60).read().decode())
except OSError as error: print(type(error).__name__)
print(pathlib.Path("${file}").read_text())
`;
  await writeSkills(source, {
    curious: { 'ambit.yaml': JSON.stringify({ run }), 'scripts/run.py': script },
  });
  const cli = (...args: string[]) => ambit(args, { cwd, env: { REGION: 'north' } });
  const refusal = async (...args: string[]) => {
    const { code, stderr } = await cli(...args, '--json');
    return [code, JSON.parse(stderr).error];
  };
  expect((await cli('skills', 'add', source)).code).toBe(0);
  expect(await refusal('skills', 'propose', 'acme:curious', '--trial')).toEqual([
    3,
    expect.objectContaining({
      code: 'CAPABILITY_DENIED',
      message: expect.stringContaining(
        'sk a person to approve it (to read it: "ambit skills review acme:curious")',
      ),
    }),
  ]);
  expect((await cli('skills', 'approve', 'acme:curious')).code).toBe(0);
  expect(await refusal('run', 'acme:curious')).toEqual([
    3,
    expect.objectContaining({ code: 'CAPABILITY_DENIED' }),
  ]);

  const { trial, items, files, unused, upstream } = JSON.parse(
    (await cli('skills', 'propose', 'acme:curious', '--trial', '--json')).stdout,
  );
  expect(asked).toEqual([]);
  const shown = ({ capability, item, from }: Record<string, string>) => [capability, item, from];
  expect(items.map(shown)).toEqual([
    ['network', origin, 'refusal'],
    ['filesystem.read', file, 'output'],
  ]);
  expect(trial).toEqual({
    executionId: expect.any(String),
    outcome: expect.objectContaining({ status: 'failed', stdout: 'nowhere\nHTTPError\n' }),
    unmet: ['env REGION'],
  });
  expect(unused).toEqual([]);
  expect(files).toMatchObject([
    { path: join(cwd, 'ambit.config.yaml'), diff: expect.stringContaining(`- ${origin}`) },
  ]);
  // Approved files stay unchanged.
  expect(upstream).toEqual([{ path: 'ambit.yaml', diff: expect.stringContaining(file) }]);
  const record = JSON.parse((await cli('audit', 'show', trial.executionId, '--json')).stdout);
  expect(record.capabilities).toMatchObject({
    granted: { network: [], env: [], filesystem: { read: [], write: [] }, exec: ['python3'] },
    denied: [{ capability: 'network' }],
  });
});

test('the grant of a trial makes the call succeed, at the command line and in a daemon', async () => {
  const { asked, origin } = await greeter();
  const script = `import sys, urllib.request\nprint(urllib.request.urlopen(sys.argv[1], timeout=60).read().decode())\n`;
  const cwd = await project({ fetch: { 'scripts/run.py': script } });
  const cli = (...args: string[]) => ambit([...args], { cwd });
  const usage = await cli('skills', 'propose', 'fetch', '--', `${origin}/a`);
  expect([usage.code, usage.stderr]).toEqual([2, expect.stringContaining('add --trial')]);
  const hello = 'python3 scripts/run.py data:,hello';
  const needless = await cli(
    'skills',
    'propose',
    'fetch',
    '--trial',
    '--command',
    hello,
    '--memory',
    '256MiB',
  );
  expect(needless.stderr).toMatch(/^fetch succeeded with nothing granted\.\n/);
  const written = await cli('skills', 'propose', 'fetch', '--trial', '--write', '--', `${origin}/a`);
  expect(written).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^Traceback [\s\S]*\nfetch failed with exit code 1\.\n[\s\S]*It ran with nothing granted,/,
    ),
  });
  expect(asked).toEqual([]);
  expect(await readFile(join(cwd, 'ambit.config.yaml'), 'utf8')).toBe(
    `${config}grants:\n  fetch:\n    network:\n      - ${origin}\n`,
  );
  expect((await cli('run', 'fetch', '--', `${origin}/b`)).stdout).toBe('hello\n');
  expect(asked).toEqual(['/b']);

  const daemon = await daemonProcess(cwd, {}, { unconfigured: true });
  onTestFinished(async () => void (await daemon.stop('SIGKILL')));
  const execute = async (more: object) =>
    (await daemon.execute('fetch', { args: [`${origin}/c`], ...more })).body;
  const { executionId, outcome } = await execute({ trial: true });
  expect([outcome.status, asked]).toEqual(['failed', ['/b']]);
  const { body } = await daemon.request('GET', `/skills/fetch/proposal?execution=${executionId}`);
  // It has that grant already.
  expect(body).toMatchObject({ records: { count: 1 }, items: [], unused: [] });
  expect((await execute({})).outcome).toMatchObject({ status: 'succeeded' });
  expect(asked).toEqual(['/b', '/c']);
});
