// Threat model: T318

// The capabilities that a call used: in its answer, in its record, and wherever records are read.
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { usedNothing } from '../../../packages/core/src/outcome.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon, repository } from '../../support/daemon-process.ts';
import { localServer } from '../../support/local-server.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { command } from '../../support/wasm/command.ts';

const fixtures = join(repository, 'packages/runtime/src/wasm/testing/fixtures');

const { origin: host } = await localServer();

/** A folder that skills can read and write as any user. */
async function openFolder(parent: string): Promise<string> {
  const folder = join(parent, 'open');
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

/** The folder that skills are granted. */
let files = '';

const shared = sharedDaemon(
  async (path) => {
    files = await openFolder(join(path, '..'));
    await writeFile(join(files, 'in.txt'), 'a note');
    const secrets = [{ name: 'API_TOKEN', hosts: [host] }];
    const ofScript = {
      filesystem: { read: [files], write: [files] },
      network: [host],
      env: ['TZ', 'LANG'],
      secrets,
      state: 'write',
      memory: 'read',
    };
    const ofProgram = {
      filesystem: { read: [files], write: ['workspace'] },
      network: [host],
      env: ['TZ'],
      exec: ['python3'],
      secrets,
    };
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
    const asks = `import urllib.request
for path in ["/one", "/two"]:
  headers = {"authorization": "Bearer " + os.environ["API_TOKEN"]} if path == "/one" else {}
  urllib.request.urlopen(urllib.request.Request("${host}" + path, headers=headers), timeout=60).read()
open("left.txt", "w").write("left")
print("null")`;
    const invoke = '(import "ambit" "invoke" (func $invoke (param i32 i32 i32 i32) (result i32)))';
    const sets = command(
      `(drop (call $invoke (i32.const 0) (i32.const 9) (i32.const 9) (i32.const 7)))
     (call $print (i32.const 1) (i32.const 16) (i32.const 4))`,
      'state_set["k",1]null',
      invoke,
    );
    const wasm = (entry: string, run: object) => ({
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry, ...run } }),
    });
    const inWorkspace = { protocol: 'command', capabilities: { filesystem: { write: ['workspace'] } } };
    const raw = { capabilities: { state: 'write', env: ['TZ'] } };
    await writeSkills(path, {
      uses: { ...wasm('index.js', { capabilities: ofScript }), 'index.js': uses },
      'idle-script': {
        ...wasm('index.js', { capabilities: ofScript }),
        'index.js': 'export default () => null;',
      },
      bundle: { ...wasm('bundle.wasm', inWorkspace), 'assets/header.txt': '====\n' },
      echo: wasm('echo.wasm', inWorkspace),
      asks: pythonSkill(asks, { capabilities: ofProgram }),
      'idle-program': pythonSkill('print("null")', { capabilities: ofProgram }),
      plain: pythonSkill('print("null")'),
      sets: { ...wasm('sets.wasm', raw), 'sets.wasm': sets },
      world: wasm('world.wasm', raw),
      'idle-module': {
        ...wasm('idle.wasm', raw),
        'idle.wasm': command('(call $print (i32.const 1) (i32.const 0) (i32.const 4))', 'null'),
      },
    });
    for (const name of ['bundle', 'echo', 'world'])
      await copyFile(join(fixtures, `${name}.wasm`), join(path, name, `${name}.wasm`));
    const env = { env: ['TZ'] };
    return {
      skills: [{ path, tier: 'local' }],
      grants: {
        uses: ofScript,
        'idle-script': ofScript,
        asks: ofProgram,
        'idle-program': ofProgram,
        sets: env,
        world: env,
        'idle-module': env,
      },
      secrets: { API_TOKEN: { command: ['printf', 's3cret-value-42'] } },
    };
  },
  { env: { TZ: 'UTC' } },
);

test('the record lists each granted capability that a script used, and nothing for a script that used none', async () => {
  const daemon = shared();
  expect(await usedBy(daemon, 'uses', { input: {}, context: { memory: ['uses tabs'] } })).toEqual({
    filesystem: {
      read: [{ item: `${files}/in.txt`, count: 2 }],
      write: [{ item: `${files}/out.txt`, count: 1 }],
    },
    network: [{ item: host, count: 2 }],
    env: [{ item: 'TZ', count: 1 }],
    secrets: [{ item: 'API_TOKEN', count: 1 }],
    exec: [],
    state: 'write',
    memory: 'read',
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
  expect(await usedBy(daemon, 'idle-script')).toEqual(usedNothing);
});

test('the record of a WASI command lists its use of the workspace, or none', async () => {
  const daemon = shared();
  const call = { args: ['all.txt', 'one.txt'], files: [{ path: 'one.txt', text: '1\n' }] };
  expect(await usedBy(daemon, 'bundle', call)).toEqual({
    ...usedNothing,
    filesystem: { read: [], write: [{ item: 'workspace', count: expect.any(Number) }] },
  });
  expect(await usedBy(daemon, 'echo', { args: [], stdin: 'text' })).toEqual(usedNothing);
});

test('the record of a program lists observed capabilities, and null for others', async () => {
  const daemon = shared();
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
  expect(await usedBy(daemon, 'idle-program')).toEqual({
    ...usedNothing,
    filesystem: { read: null, write: null },
    env: null,
    exec: python,
  });
  expect(await usedBy(daemon, 'plain')).toEqual({ ...usedNothing, exec: python });
});

test('the record of a raw module lists its host functions, and null for its complete environment', async () => {
  const daemon = shared();
  expect(await usedBy(daemon, 'sets')).toEqual({
    ...usedNothing,
    state: 'write',
    functions: [{ item: 'state_set', count: 1 }],
  });
  expect(await usedBy(daemon, 'world')).toEqual({ ...usedNothing, env: null });
  expect(await usedBy(daemon, 'idle-module')).toEqual(usedNothing);
});

test('used capabilities appear wherever a call or its record is shown, there without what looks like a secret', async () => {
  // Assembled here, so secret scanners do not report this file.
  const secret = ['sk', '_live_', 'aB3dE5gH7jK9mN1pQ3sT5vW7'].join('');
  const folder = await temporaryFolder();
  const own = await openFolder(await temporaryFolder());
  const capabilities = { filesystem: { write: [own] }, state: 'read' };
  const run = JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js', capabilities } });
  const body = `import { stateGet, writeFile } from 'ambit';
    export default () => { stateGet('k'); stateGet('k'); writeFile('${own}/${secret}', ''); return null; };`;
  await writeSkills(folder, {
    uses: { 'ambit.yaml': run, 'index.js': body },
    idle: { 'ambit.yaml': run, 'index.js': 'export default () => null;' },
  });
  // A daemon of its own, because an export lists every record.
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
    filesystem: { read: [], write: [{ item: `${own}/[redacted]`, count: 1 }] },
    state: 'read',
    functions,
  };
  // Only the record is redacted: the caller's own answer is complete.
  expect(used).toEqual({
    ...covered,
    filesystem: { read: [], write: [{ item: `${own}/${secret}`, count: 1 }] },
  });
  expect((await daemon.request('GET', `/executions/${executionId}`)).body.result.used).toEqual(used);
  expect((await daemon.request('GET', `/audit/${executionId}`)).body.used).toEqual(covered);

  const shown = await ambit(['audit', 'show', executionId, ...on]);
  expect(JSON.parse(shown.stdout).used).toEqual(covered);
  expect(shown.stderr).toBe(`Used:
  filesystem.write ${own}/[redacted] once
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
    `filesystem.write ${own}/[redacted] once; state read; host function write_file once; host function state_get 2 times`,
    'nothing',
  ]);
  expect([shown, ndjson, csv].filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes(secret))).toEqual(
    [],
  );
});
