// Threat model: T318

// The capabilities that a call used: in its answer, in its record, and wherever records are read.
import { once } from 'node:events';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { usedNothing } from '../../../packages/core/src/internal.ts';
import { type Daemon, startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { command } from '../../support/wasm/command.ts';

const fixtures = join(repository, 'packages/runtime/src/wasm/testing/fixtures');

async function server(): Promise<string> {
  const listening = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => void listening.close());
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

/** A folder that skills can read and write as any user. */
async function openFolder(): Promise<string> {
  const folder = join(await temporaryFolder(), 'open');
  await mkdir(folder);
  await chmod(folder, 0o777);
  return folder;
}

/** The used capabilities of a call, equal in the answer and the record. */
async function usedBy(daemon: Daemon, skill: string, call: object = { input: {} }): Promise<unknown> {
  const { body } = await daemon.execute(skill, call);
  expect(body).toMatchObject({ outcome: { status: 'succeeded' } });
  const [record] = await daemon.audit('?limit=1');
  expect([record.executionId, record.used]).toEqual([body.executionId, body.used]);
  return body.used;
}

test('the record lists each granted capability that a script used, and nothing for a script that used none', async () => {
  const [folder, files, host] = [await temporaryFolder(), await openFolder(), await server()];
  await writeFile(join(files, 'in.txt'), 'a note');
  const capabilities = {
    filesystem: { read: [files], write: [files] },
    ...{ network: [host], env: ['TZ', 'LANG'], secrets: [{ name: 'API_TOKEN', hosts: [host] }] },
    ...{ state: 'write', memory: 'read' },
  };
  const run = JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js', capabilities } });
  const uses = `
    import { context, env, fetch, progress, readFile, recallMemory, stateGet, stateSet, writeFile } from 'ambit';
    export default async () => {
      context();
      progress(1);
      env('TZ');
      readFile('${files}/in.txt');
      readFile('${files}/./in.txt');
      try { readFile('${files}/none.txt'); } catch {}
      readFile('index.js');
      writeFile('${files}/out.txt', 'written');
      stateSet('n', stateGet('n') ?? 1);
      recallMemory('tabs');
      const headers = { authorization: 'Bearer ' + env('API_TOKEN') };
      await fetch('${host}/one', { headers });
      await fetch('${host}/two');
      try { await fetch('http://127.0.0.1:1/'); } catch {}
      return null;
    };`;
  await writeSkills(folder, {
    uses: { 'ambit.yaml': run, 'index.js': uses },
    idle: { 'ambit.yaml': run, 'index.js': 'export default () => null;' },
  });
  const daemon = await startDaemon({
    skills: [{ path: folder, tier: 'local' }],
    grants: { uses: capabilities, idle: capabilities },
    secrets: { API_TOKEN: { command: ['printf', 's3cret-value-42'] } },
  });
  expect(await usedBy(daemon, 'uses', { input: {}, context: { memory: ['uses tabs'] } })).toEqual({
    filesystem: {
      read: [{ item: `${files}/in.txt`, count: 2 }],
      write: [{ item: `${files}/out.txt`, count: 1 }],
    },
    network: [{ item: host, count: 2 }],
    env: [{ item: 'TZ', count: 1 }],
    secrets: [{ item: 'API_TOKEN', count: 1 }],
    exec: [],
    ...{ state: 'write', memory: 'read' },
    functions: [
      { item: 'context', count: 1 },
      { item: 'progress', count: 1 },
      { item: 'env', count: 2 },
      { item: 'read_file', count: 4 },
      { item: 'write_file', count: 1 },
      { item: 'state_get', count: 1 },
      { item: 'state_set', count: 1 },
      { item: 'recall_memory', count: 1 },
      { item: 'http_request', count: 3 },
    ],
    unlisted: [],
  });
  expect(await usedBy(daemon, 'idle')).toEqual(usedNothing);
});

test('the record of a WASI command lists its use of the workspace, or none', async () => {
  const folder = await temporaryFolder();
  const run = (entry: string) => ({
    'ambit.yaml': JSON.stringify({
      run: {
        ...{ runtime: 'wasm', protocol: 'command', entry },
        capabilities: { filesystem: { write: ['workspace'] } },
      },
    }),
  });
  await writeSkills(folder, {
    bundle: { ...run('bundle.wasm'), 'assets/header.txt': '====\n' },
    echo: run('echo.wasm'),
  });
  for (const name of ['bundle', 'echo'])
    await copyFile(join(fixtures, `${name}.wasm`), join(folder, name, `${name}.wasm`));
  const daemon = await startDaemon({ skills: [{ path: folder, tier: 'local' }] });
  const call = { args: ['all.txt', 'one.txt'], files: [{ path: 'one.txt', text: '1\n' }] };
  expect(await usedBy(daemon, 'bundle', call)).toEqual({
    ...usedNothing,
    filesystem: { read: [], write: [{ item: 'workspace', count: expect.any(Number) }] },
  });
  expect(await usedBy(daemon, 'echo', { args: [], stdin: 'text' })).toEqual(usedNothing);
});

test('the record of a program lists observed capabilities, and null for others', async () => {
  const [folder, files, host] = [await temporaryFolder(), await openFolder(), await server()];
  const capabilities = {
    filesystem: { read: [files], write: ['workspace'] },
    ...{ network: [host], env: ['TZ'], exec: ['python3'] },
    secrets: [{ name: 'API_TOKEN', hosts: [host] }],
  };
  const asks = `import urllib.request
for path in ["/one", "/two"]:
  headers = {"authorization": "Bearer " + os.environ["API_TOKEN"]} if path == "/one" else {}
  urllib.request.urlopen(urllib.request.Request("${host}" + path, headers=headers), timeout=60).read()
open("left.txt", "w").write("left")
print("null")`;
  await writeSkills(folder, {
    asks: pythonSkill(asks, { capabilities }),
    idle: pythonSkill('print("null")', { capabilities }),
    plain: pythonSkill('print("null")'),
  });
  const daemon = await startDaemon({
    skills: [{ path: folder, tier: 'local' }],
    grants: { asks: capabilities, idle: capabilities },
    secrets: { API_TOKEN: { command: ['printf', 's3cret-value-42'] } },
  });
  const python = [{ item: 'python3', count: 1 }];
  expect(await usedBy(daemon, 'asks')).toEqual({
    ...usedNothing,
    filesystem: { read: null, write: [{ item: 'workspace', count: 1 }] },
    network: [{ item: host, count: 2 }],
    env: null,
    secrets: [{ item: 'API_TOKEN', count: 1 }],
    exec: python,
  });
  // A file that was written and removed again would leave no trace.
  expect(await usedBy(daemon, 'idle')).toEqual({
    ...usedNothing,
    ...{ filesystem: { read: null, write: null }, env: null, exec: python },
  });
  expect(await usedBy(daemon, 'plain')).toEqual({ ...usedNothing, exec: python });
});

test('the record of a raw module lists its host functions, and null for its complete environment', async () => {
  const folder = await temporaryFolder();
  const invoke = '(import "ambit" "invoke" (func $invoke (param i32 i32 i32 i32) (result i32)))';
  const sets = command(
    `(drop (call $invoke (i32.const 0) (i32.const 9) (i32.const 9) (i32.const 7)))
     (call $print (i32.const 1) (i32.const 16) (i32.const 4))`,
    'state_set["k",1]null',
    invoke,
  );
  const run = (entry: string) => ({
    'ambit.yaml': JSON.stringify({
      run: { runtime: 'wasm', entry, capabilities: { state: 'write', env: ['TZ'] } },
    }),
  });
  await writeSkills(folder, {
    sets: { ...run('sets.wasm'), 'sets.wasm': sets },
    world: run('world.wasm'),
    idle: {
      ...run('idle.wasm'),
      'idle.wasm': command('(call $print (i32.const 1) (i32.const 0) (i32.const 4))', 'null'),
    },
  });
  await copyFile(join(fixtures, 'world.wasm'), join(folder, 'world/world.wasm'));
  const grants = { sets: { env: ['TZ'] }, world: { env: ['TZ'] }, idle: { env: ['TZ'] } };
  const daemon = await startDaemon(
    { skills: [{ path: folder, tier: 'local' }], grants },
    { env: { TZ: 'UTC' } },
  );
  expect(await usedBy(daemon, 'sets')).toEqual({
    ...usedNothing,
    state: 'write',
    functions: [{ item: 'state_set', count: 1 }],
  });
  expect(await usedBy(daemon, 'world')).toEqual({ ...usedNothing, env: null });
  expect(await usedBy(daemon, 'idle')).toEqual(usedNothing);
});

test('used capabilities appear wherever a call or its record is shown, there without what looks like a secret', async () => {
  // Assembled here, so secret scanners do not report this file.
  const secret = ['sk', '_live_', 'aB3dE5gH7jK9mN1pQ3sT5vW7'].join('');
  const [folder, files] = [await temporaryFolder(), await openFolder()];
  const capabilities = { filesystem: { write: [files] }, state: 'read' };
  const run = JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js', capabilities } });
  const body = `import { stateGet, writeFile } from 'ambit';
    export default () => { stateGet('k'); stateGet('k'); writeFile('${files}/${secret}', ''); return null; };`;
  await writeSkills(folder, {
    uses: { 'ambit.yaml': run, 'index.js': body },
    idle: { 'ambit.yaml': run, 'index.js': 'export default () => null;' },
  });
  const daemon = await startDaemon({
    skills: [{ path: folder, tier: 'local' }],
    grants: { uses: capabilities, idle: capabilities },
  });
  const on = ['--data-dir', daemon.dataDir];
  const ran = await ambit(['run', 'uses', '--input', '{}', '--json', ...on]);
  const { executionId, used } = JSON.parse(ran.stdout);
  const functions = [
    { item: 'write_file', count: 1 },
    { item: 'state_get', count: 2 },
  ];
  const covered = {
    ...usedNothing,
    filesystem: { read: [], write: [{ item: `${files}/[redacted]`, count: 1 }] },
    ...{ state: 'read', functions },
  };
  // Only the record is redacted: the caller's own answer is complete.
  expect(used).toEqual({
    ...covered,
    filesystem: { read: [], write: [{ item: `${files}/${secret}`, count: 1 }] },
  });
  expect((await daemon.request('GET', `/executions/${executionId}`)).body.result.used).toEqual(used);
  expect((await daemon.request('GET', `/audit/${executionId}`)).body.used).toEqual(covered);

  const shown = await ambit(['audit', 'show', executionId, ...on]);
  expect(JSON.parse(shown.stdout).used).toEqual(covered);
  expect(shown.stderr).toBe(`Used:
  filesystem.write ${files}/[redacted] once
  state read
  host function write_file once
  host function state_get 2 times
`);
  const idle = await daemon.execute('idle', { input: {} });
  expect((await ambit(['audit', 'show', idle.body.executionId, ...on])).stderr).toBe(
    'Used no capabilities.\n',
  );

  const ndjson = await ambit(['audit', 'export', ...on]);
  expect(
    ndjson.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).used),
  ).toEqual([covered, usedNothing]);
  const csv = await ambit(['audit', 'export', '--format', 'csv', ...on]);
  const [names = [], ...rows] = csv.stdout
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  expect(rows.map((row) => row[names.indexOf('used')])).toEqual([
    `filesystem.write ${files}/[redacted] once; state read; host function write_file once; host function state_get 2 times`,
    'nothing',
  ]);
  expect([shown, ndjson, csv].filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes(secret))).toEqual(
    [],
  );
});
