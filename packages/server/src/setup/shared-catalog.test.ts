import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { folderCatalog } from '@ambit/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { refCounted } from './ref-counted.ts';
import { sharedCatalog } from './shared-catalog.ts';

const skillMd = (words: string): string => `---\nname: a\ndescription: ${words}\n---\n`;

/** A catalog that has read one skill, the skill's file, and how often its folder was checked. */
async function readCatalog() {
  const folder = await temporaryFolder({ 'a/SKILL.md': skillMd('before') });
  const file = join(folder, 'a/SKILL.md');
  const folders = refCounted(
    () => folderCatalog([{ path: folder, tier: 'local' }]),
    (open) => open.close(),
  );
  onTestFinished(() => folders.close());
  let checks = 0;
  const find = folders.value.find.bind(folders.value);
  folders.value.find = (id) => {
    checks += 1;
    return find(id);
  };
  const catalog = sharedCatalog(folders);
  await expect.poll(() => isImmediate(catalog.find('a'))).toBe(true);
  return { catalog, file, checks: () => checks };
}

/** Whether a promise settles without waiting for the disk. */
async function isImmediate(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  void promise.then(() => (isSettled = true));
  await new Promise((resolve) => process.nextTick(resolve));
  return isSettled;
}

/** Both ends of a connection. */
async function connection(): Promise<{ client: Socket; server: Socket }> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connect((listener.address() as { port: number }).port, '127.0.0.1');
  const [[server]] = await Promise.all([once(listener, 'connection'), once(client, 'connect')]);
  onTestFinished(() => {
    client.destroy();
    listener.close();
  });
  return { client, server };
}

/** Runs after the event loop has read its input, before it asks for more. */
function afterInput<Result>(run: () => Result): Promise<Result> {
  return new Promise((resolve) => setImmediate(() => resolve(run())));
}

test('requests that arrive together share one check of the folder', async () => {
  const { catalog, checks } = await readCatalog();
  const [finding, count] = await afterInput(() => {
    const before = checks();
    return [Promise.all([catalog.find('a'), catalog.find('a')]), checks() - before];
  });
  const [first, second] = await finding;
  expect(first).toMatchObject({ manifest: { description: 'before' } });
  expect(second).toBe(first);
  expect(count).toBe(1);
});

test('a request that follows an edit finds the edited skill, also if another found it immediately before', async () => {
  const { catalog, file } = await readCatalog();
  const { client, server } = await connection();
  const found = new Promise((resolve) => server.once('data', () => resolve(catalog.find('a'))));
  const before = await afterInput(() => {
    const skill = catalog.find('a');
    writeFileSync(file, skillMd('edited'));
    client.write('request');
    return skill;
  });
  expect(before).toMatchObject({ manifest: { description: 'before' } });
  expect(await found).toMatchObject({ manifest: { description: 'edited' } });
});
