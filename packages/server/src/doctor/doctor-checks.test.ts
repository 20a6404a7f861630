// Threat model: T43

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localServer } from '../../../../test/support/local-server.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { lockDataDir } from '../audit/file/lock-data-dir.ts';
import { defaultConfig } from '../config/general-config.ts';
import { catalogOf } from '../setup/skill-service.ts';
import { plainConfig } from '../testing/plain-config.ts';
import { addressCheck } from './address-check.ts';
import { clockCheck } from './clock-check.ts';
import { configurationCheck } from './configuration-check.ts';
import { daemonCheck } from './daemon-check.ts';
import { diskCheck } from './disk-check.ts';
import { keysCheck } from './keys-check.ts';
import { secretsCheck } from './secrets-check.ts';
import { untrustedToolsCheck } from './untrusted-tools-check.ts';
import { userCheck } from './user-check.ts';
import { wasmPythonCheck } from './wasm-python-check.ts';

const mebibyte = 2 ** 20;

test.each([
  ['ok', { freeBytes: 1024 * mebibyte, files: 0, filesFree: 0 }, '1024 MiB free'],
  ['limited', { freeBytes: 1024 * mebibyte - 1, files: 0, filesFree: 0 }, '1023 MiB free'],
  [
    'limited',
    { freeBytes: 2048 * mebibyte, files: 5000, filesFree: 999 },
    '2048 MiB free, room for 999 more files',
  ],
  ['missing', { freeBytes: 16 * mebibyte - 1, files: 5000, filesFree: 4000 }, '15 MiB free'],
] as const)('a disk is %s with %j', (status, room, found) => {
  expect(diskCheck({ dataDir: '/nowhere', audit: defaultConfig().audit }, room)).toMatchObject({
    name: 'disk',
    status,
    found,
  });
});

test('reports the free space of the folder above for a missing data directory', async () => {
  expect(
    diskCheck({ dataDir: join(await temporaryFolder(), 'not', 'yet'), audit: defaultConfig().audit }).found,
  ).toMatch(/^\d+ MiB free/);
});

test('reports a clock that is behind the last write to the log; another is ok', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  const now = Date.UTC(2026, 5, 1);
  writeFileSync(file, '');
  utimesSync(file, new Date(now), new Date(now));
  expect(clockCheck(file, now).found).toBe('2026-06-01T00:00:00.000Z');
  expect(clockCheck(file, now - 3_600_000)).toMatchObject({
    status: 'limited',
    found: '2026-05-31T23:00:00.000Z, but the log was written at 2026-06-01T00:00:00.000Z',
  });
  expect(clockCheck(file, 0)).toMatchObject({ status: 'limited' });
});

test('reports key files that other users can read, with the fix; no keys are ok', async () => {
  const dataDir = await temporaryFolder();
  expect(await keysCheck({ ...plainConfig, dataDir }, {})).toMatchObject({ status: 'ok', found: '0 valid' });
  writeFileSync(join(dataDir, 'keys.db'), '', { mode: 0o644 });
  expect(await keysCheck({ ...plainConfig, dataDir }, {})).toMatchObject({
    status: 'missing',
    found: `other users can access the keys' file ${dataDir}/keys.db; run "chmod 600 ${dataDir}/keys.db"`,
  });
});

test('reports an address that is in use; a free one is ok', async () => {
  const { port } = await localServer();
  const dataDir = await temporaryFolder();
  const at = (taken: number) => ({
    ...plainConfig,
    dataDir,
    listen: { ...plainConfig.listen, port: taken },
  });
  expect(await addressCheck(at(port))).toMatchObject({
    status: 'limited',
    found: `127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
  });
  expect(await addressCheck(at(0))).toMatchObject({ status: 'ok', found: '127.0.0.1:0' });
});

test('reports the address of a running daemon instead of the configured one', async () => {
  const dataDir = await temporaryFolder();
  const lock = await lockDataDir(dataDir);
  onTestFinished(() => lock.release());
  await lock.announce({ pid: process.pid, url: 'http://127.0.0.1:7541' });
  expect(await addressCheck({ ...plainConfig, dataDir })).toEqual({
    name: 'address',
    status: 'ok',
    found: 'http://127.0.0.1:7541',
    meaning: 'the daemon of this data directory listens there',
  });
});

test.each([
  [
    { status: 'ready', configuration: 'current', checks: {}, since: 1 },
    'limited',
    'version 0.2.0; this is 0.1.0',
  ],
  [
    { status: 'unavailable', code: 'OVERLOADED', checks: {}, since: 1 },
    ...(['missing', 'refuses calls: OVERLOADED'] as const),
  ],
])('accepts further fields of a newer daemon: %j', async (readiness, status, found) => {
  const { origin } = await localServer(({ url }, response) =>
    response.end(JSON.stringify(url === '/readyz' ? readiness : { info: { version: '0.2.0' } })),
  );
  const daemon = { url: origin, keyFile: undefined };
  expect(await daemonCheck({ ...plainConfig, daemon }, '0.1.0')).toMatchObject({
    status,
    found: expect.stringContaining(found),
  });
});

test('reports skills that the configuration names and that do not exist, and where to correct them', async () => {
  const config = {
    ...plainConfig,
    file: '/etc/ambit.yaml',
    dataDir: await temporaryFolder(),
    agents: { dev: { skills: ['x'] } },
  };
  expect(await configurationCheck(config, { skills: [], broken: [] })).toEqual({
    name: 'configuration',
    status: 'limited',
    found: 'agents.dev.skills: the skill "x" does not exist',
    meaning: 'the configuration is valid, but these entries have no effect',
    fix: 'Correct them in /etc/ambit.yaml',
  });
});

test('counts executable untrusted skills and reports whether agents get them', async () => {
  const root = await temporaryFolder();
  for (const name of ['count', 'guide', 'program', 'python']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'SKILL.md'), `---\nname: ${name}\ndescription: d\n---\n`);
  }
  mkdirSync(join(root, 'program/scripts'));
  writeFileSync(join(root, 'python/run.py'), 'if __name__ == "__main__": print(1)\n');
  writeFileSync(join(root, 'program/scripts/run.sh'), '#!/bin/sh\n');
  writeFileSync(join(root, 'count/main.js'), '');
  writeFileSync(join(root, 'count/ambit.yaml'), 'run: { runtime: wasm, entry: main.js }');
  const at = async (tier: 'local' | 'untrusted', untrustedTools: boolean) => {
    const catalog = catalogOf({ ...plainConfig, skills: [{ path: root, tier }] }, {});
    const skills = await catalog.list().finally(() => catalog.close());
    return untrustedToolsCheck({ mcp: { untrustedTools } }, skills);
  };
  const check = { name: 'untrusted tools', status: 'ok' };
  expect([await at('untrusted', false), await at('untrusted', true), await at('local', false)]).toEqual([
    {
      ...check,
      found: '2: count, python',
      meaning:
        'agents do not get untrusted skills as tools over MCP; to offer them: mcp: { untrustedTools: true }',
    },
    {
      ...check,
      found: '2: count, python',
      meaning:
        'agents get untrusted skills as tools over MCP, marked [untrusted], because mcp.untrustedTools is true',
    },
    { ...check, found: 'no executable untrusted skill', meaning: expect.stringContaining('do not get') },
  ]);
});

test.each([
  ['ok', 'skills have users of their own', { boundsRuns: true, hostUser: 61_184, epollWatchesMax: 1 }],
  ['ok', 'memory runs out before watches do', { boundsRuns: true, epollWatchesMax: 17_777_216 }],
  ['limited', 'watches run out before memory does', { boundsRuns: true, epollWatchesMax: 17_777_215 }],
  ['limited', 'the memory of a run has no bound', { boundsRuns: false, epollWatchesMax: 17_777_216 }],
] as const)('the user is %s where %s', (status, _, facts) => {
  expect(userCheck({ memoryShareBytes: 3 * 1024 ** 3, ...facts })).toMatchObject({ name: 'user', status });
});

test('the user check names the setting that prevents skills from crashing the daemon', () => {
  expect(userCheck({ memoryShareBytes: 3 * 1024 ** 3, boundsRuns: true, epollWatchesMax: 900_000 })).toEqual({
    name: 'user',
    status: 'limited',
    found: `uid ${process.getuid?.()}, fs.epoll.max_user_watches = 900000`,
    meaning:
      'skills run as this user, in an unprivileged user namespace; a process skill can exhaust the epoll watches of this user, which crashes the daemon and other programs of this user',
    fix: 'As root: sysctl -w fs.epoll.max_user_watches=17777216',
  });
});

test('reports the interpreter of Python in WebAssembly, or how to install it', () => {
  const installed = {
    folder: '/opt/python',
    version: '3.11.2',
    digest: 'sha256:d',
    license: 'PSF-2.0',
    source: 'Debian python3.11 3.11.2-6',
    problem: undefined,
  };
  const refused =
    "calls of Python in WebAssembly are refused with PROGRAM_MISSING; to run it, install the @ambit/python of Ambit's own version beside it; see docs/python.md#installing";
  const check = { name: 'python in wasm', status: 'ok' };
  expect([
    wasmPythonCheck(installed),
    wasmPythonCheck(undefined),
    wasmPythonCheck({ ...installed, problem: 'python.wasm.br differs' }),
  ]).toEqual([
    {
      ...check,
      found: 'Python 3.11.2, sha256:d, license PSF-2.0, built from Debian python3.11 3.11.2-6',
      meaning: 'Python of untrusted skills, and Python with run.runtime: wasm, runs in WebAssembly',
    },
    { ...check, found: 'not installed', meaning: refused },
    {
      ...check,
      status: 'limited',
      meaning: refused,
      found:
        "not used: python.wasm.br differs; install the @ambit/python of Ambit's own version beside it; see docs/python.md#installing",
    },
  ]);
});

test('names the secrets that are too short to be redacted; longer ones are ok, and without secrets there is no check', async () => {
  const environment = { SHORT: 'aB3dE5gH7jK9mN1', LONG: 'aB3dE5gH7jK9mN1p' };
  const [short, long] = [{ env: 'SHORT' }, { env: 'LONG' }];
  expect(await secretsCheck({ secrets: { PIN: short, TOKEN: long } }, environment)).toMatchObject([
    { name: 'secrets', status: 'limited', found: 'too short to be redacted: PIN' },
  ]);
  const fine = { TOKEN: long, PROMPTED: { command: ['/bin/false'] } };
  expect(await secretsCheck({ secrets: fine }, environment)).toMatchObject([
    { name: 'secrets', status: 'ok', found: '2 configured' },
  ]);
  expect(await secretsCheck({ secrets: {} }, environment)).toEqual([]);
});
