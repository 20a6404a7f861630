// The test starts a daemon of its own: the claim is about data that it finds.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { configuration, contents, made, put } from '../support/keeper.ts';

const counter = pythonSkill(
  `path = os.environ["AMBIT_STATE"]
kept = json.load(open(path)); kept["n"] = kept.get("n", 0) + 1
with open(path, "w") as file: json.dump(kept, file)
print(kept["n"])`,
  { capabilities: { exec: ['python3'], state: 'write' } },
);

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
