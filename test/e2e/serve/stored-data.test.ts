// Each test starts a daemon of its own: the claims are about data that it finds.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { storedState } from '../../support/stored-state.ts';
import { configuration, contents, keep, made, put } from '../support/keeper.ts';

const counter = pythonSkill(
  `path = os.environ["AMBIT_STATE"]
kept = json.load(open(path)); kept["n"] = kept.get("n", 0) + 1
with open(path, "w") as file: json.dump(kept, file)
print(kept["n"])`,
  { capabilities: { exec: ['python3'], state: 'write' } },
);

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), text, { mode: 0o600 });
  }
}

const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const workspace = {
  ...{ id: '01997d10-0000-7000-8000-000000000000', owner: 'key', label: null, quotaBytes: 100 },
  ...{ expiresInMs: 86_400_000, createdAt: Date.now(), usedAt: Date.now() },
  files: [{ path: 'a', bytes: 3, sha256, modified: 1 }],
};
const former = {
  [`workspaces/${workspace.id}/workspace.json`]: JSON.stringify(workspace),
  [`workspaces/${workspace.id}/contents/${sha256}`]: 'abc',
  'state/counter.json': '{"n":41}\n',
  'state/spoilt.json': 'spoilt',
};

test('a daemon continues with the workspaces and state of Ambit 0.1.0', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  await writeAll(dataDir, former);
  const daemon = await startDaemon(await configuration({}, { counter }), { dataDir });
  expect((await daemon.execute('counter', { input: {} })).body.outcome.output).toBe(42);
  expect(await contents(daemon, workspace.id)).toEqual({ a: 'abc' });
  expect((await keep(daemon, workspace.id, 'open("a","a").write("d")')).body.workspace.stored).toBe(true);
  expect(await contents(daemon, workspace.id)).toEqual({ a: 'abcd' });
  expect(daemon.logged()).toContain(join(dataDir, 'state/spoilt.json'));
  expect((await readdir(join(dataDir, 'former-0.1.0'))).sort()).toEqual(['state', 'workspaces']);
});

test('a command without a daemon continues with the state of Ambit 0.1.0', async () => {
  const folder = await temporaryFolder();
  await writeSkills(join(folder, 'skills'), { counter });
  await writeFile(
    join(folder, 'ambit.config.yaml'),
    JSON.stringify({ skills: [{ path: './skills', tier: 'local' }] }),
  );
  await trust(folder);
  const run = () => ambit(['run', 'counter', '--input', '{}'], { cwd: folder });
  expect(await run()).toMatchObject({ code: 0, stdout: '1\n' });
  await rm(join(folder, '.ambit/store.db'));
  await writeAll(join(folder, '.ambit'), former);
  const ran = await run();
  expect(ran).toMatchObject({ code: 0, stdout: '42\n' });
  expect(ran.stderr).toContain(`cannot import ${join(folder, '.ambit/state/spoilt.json')}`);
  expect(await storedState(join(folder, '.ambit'), 'counter')).toEqual({ n: 42 });
});

test('a daemon whose store is unusable refuses only what needs it, until the store is repaired', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  const file = join(dataDir, 'store.db');
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(file, 'no database'.repeat(1000), { mode: 0o600 });
  const daemon = await startDaemon(await configuration({}, { counter }), { dataDir });
  const keyed = () =>
    daemon.request('POST', '/skills/plain/execute', {
      body: { input: 1 },
      headers: { 'idempotency-key': 'k' },
    });
  const refused = {
    status: 503,
    body: {
      code: 'STORE_UNAVAILABLE',
      detail: expect.stringContaining(`the store ${file} cannot be used: it is damaged`),
    },
  };
  expect(await daemon.request('GET', '/workspaces')).toMatchObject(refused);
  expect(await daemon.request('POST', '/workspaces', { body: {} })).toMatchObject(refused);
  expect(await daemon.execute('counter', { input: {} })).toMatchObject(refused);
  expect(await keyed()).toMatchObject({
    status: 503,
    body: {
      code: 'STORE_UNAVAILABLE',
      detail: `the store ${file} cannot be used: it is damaged; stop Ambit, keep a copy of it, then restore a backup or remove it. Nothing has run. Send the call without Idempotency-Key, or again once the store works`,
    },
  });
  expect(await daemon.audit('?skill=counter')).toMatchObject([{ error: { code: 'STORE_UNAVAILABLE' } }]);
  expect((await daemon.execute('plain', { input: 1 })).body.outcome.output).toBe(1);
  const stored = await ambit(['run', 'counter', '--input', '{}', '--data-dir', dataDir]);
  expect(stored.code).toBe(4);

  await rm(file);
  const first = await keyed();
  expect([first.status, (await keyed()).body]).toEqual([200, first.body]);
  expect((await daemon.execute('counter', { input: {} })).body.outcome.output).toBe(1);
  expect((await daemon.request('GET', '/workspaces')).body).toEqual({ workspaces: [] });
  const id = await made(daemon);
  await put(daemon, id, 'a', 'x');
  expect(await contents(daemon, id)).toEqual({ a: 'x' });
});
