// Threat model: T294, T300

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Workspace } from '../../../packages/core/src/internal.ts';
import { importFormer, skillState, workspaceStorage } from '../../../packages/server/src/index.ts';
import { databases, emptyStore } from '../../../packages/server/src/store/testing/databases.ts';
import { sha256, text } from '../support/workspaces-world.ts';

const [one, two] = [sha256(text('one')), sha256(text('two'))];
const workspace: Workspace = {
  ...{ id: '01a', owner: 'bot', label: 'notes', quotaBytes: 50, expiresInMs: 1000 },
  ...{ createdAt: 1, usedAt: 2 },
  files: [
    { path: 'a/b.txt', bytes: 3, sha256: one, modified: 1 },
    { path: 'c', bytes: 3, sha256: two, modified: 2 },
  ],
};

/** A data directory as Ambit 0.1.0 wrote it. */
async function formerDataDir(files: Readonly<Record<string, string>>): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ambit-former-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(dataDir, path), content, { mode: 0o600 });
  }
  return dataDir;
}

const former = {
  'workspaces/01a/workspace.json': `${JSON.stringify(workspace)}\n`,
  [`workspaces/01a/contents/${one}`]: 'one',
  [`workspaces/01a/contents/${two}`]: 'two',
  'state/counter.json': '{"n":{"count":1},\n"\\ud800":[null],\n"__proto__":"own"}\n',
  'state/a%2Fb.json': '{"x":1}\n',
};
const counter = new Map([
  ['n', '{"count":1}'],
  ['\ud800', '[null]'],
  ['__proto__', '"own"'],
]);
const never = (path: string): never => {
  throw new Error(`${path} is unreadable`);
};

describe.each(databases)('an import of the data of Ambit 0.1.0 into $name', (database) => {
  test('moves workspaces and state into the store, and keeps a copy', async () => {
    const store = await emptyStore(database);
    const dataDir = await formerDataDir(former);
    await importFormer(dataDir, store, never);
    const [storage, state] = [workspaceStorage(store, never), skillState(store)];
    expect(await storage.load()).toEqual([workspace]);
    expect(Buffer.from(await storage.read('01a', one)).toString()).toBe('one');
    expect(Buffer.from(await storage.read('01a', two)).toString()).toBe('two');
    expect([await state.all('counter'), await state.get('a/b', 'x')]).toEqual([counter, 1]);
    expect(await readdir(dataDir)).toEqual(['former-0.1.0']);
    const copied = await readdir(join(dataDir, 'former-0.1.0'), { recursive: true });
    for (const path of Object.keys(former)) expect(copied).toContain(path);
    expect((await stat(join(dataDir, 'former-0.1.0'))).mode & 0o777).toBe(0o700);
  });

  test('that is repeated changes nothing that was stored since', async () => {
    const store = await emptyStore(database);
    await importFormer(await formerDataDir(former), store, never);
    const [storage, state] = [workspaceStorage(store, never), skillState(store)];
    await state.change('counter', new Map([...counter.keys()].map((key) => [key, null])));
    const changed = { ...workspace, files: workspace.files.slice(1) };
    await storage.write(changed);
    // As after a crash before the folders were moved.
    const dataDir = await formerDataDir({ ...former, 'former-0.1.0/state/counter.json': '{}' });
    await importFormer(dataDir, store, never);
    expect([await state.all('counter'), await storage.load()]).toEqual([new Map(), [changed]]);
    expect((await readdir(join(dataDir, 'former-0.1.0'))).sort()).toEqual([
      'state',
      expect.stringMatching(/^state-\d+$/),
      'workspaces',
    ]);
  });

  test('completes an import that ended before the record of a workspace', async () => {
    const store = await emptyStore(database);
    await store.run('addContents', '01a', [{ sha256: one, content: text('one') }]);
    await importFormer(await formerDataDir(former), store, never);
    const storage = workspaceStorage(store, never);
    expect(Buffer.from(await storage.read('01a', one)).toString()).toBe('one');
    expect(Buffer.from(await storage.read('01a', two)).toString()).toBe('two');
  });

  test('includes state beyond the limits, which can then only shrink', async () => {
    const store = await emptyStore(database);
    const many = Object.fromEntries(Array.from({ length: 1002 }, (_, index) => [`k${index}`, 1]));
    await importFormer(await formerDataDir({ 'state/skill.json': JSON.stringify(many) }), store, never);
    const state = skillState(store);
    await expect(state.set('skill', 'k0', 2)).rejects.toThrow('a skill may store at most 1000 keys');
    await state.set('skill', 'k0', null);
    expect((await state.all('skill')).size).toBe(1001);
  });

  test('ignores drafts, and reports what it cannot read without reading pipes and links', async () => {
    const store = await emptyStore(database);
    const dataDir = await formerDataDir({
      ...former,
      'state/counter.json.new': '{"n":',
      'state/spoilt.json': 'not JSON',
      'state/%.json': '{}',
      'state/list.json': '[1]',
      'workspaces/01b/workspace.json': '{"id":"another"}',
      'workspaces/01c.gone/workspace.json': '{"id":"01c.gone"}',
      'workspaces/half/contents/x': 'x',
      'workspaces/01a/workspace.json.new': '{"id":',
      [`workspaces/01a/contents/${two}`]: 'changed',
    });
    for (const path of ['state/pipe.json', 'workspaces/01d/workspace.json']) {
      await mkdir(dirname(join(dataDir, path)), { recursive: true });
      execFileSync('mkfifo', [join(dataDir, path)]);
    }
    await symlink('/dev/zero', join(dataDir, 'state/endless.json'));
    const unreadable = new Map<string, string>();
    await importFormer(dataDir, store, (path, cause) => unreadable.set(path, (cause as Error).message));
    expect(unreadable).toEqual(
      new Map([
        [join(dataDir, 'state/%.json'), 'URI malformed'],
        [join(dataDir, 'state/endless.json'), expect.stringContaining('it is a symbolic link')],
        [join(dataDir, 'state/list.json'), 'it is not an object of keys and values'],
        [join(dataDir, 'state/pipe.json'), expect.stringContaining('it is not a regular file')],
        [join(dataDir, 'state/spoilt.json'), expect.stringContaining('not valid JSON')],
        [join(dataDir, `workspaces/01a/contents/${two}`), 'it has changed since Ambit wrote it'],
        [join(dataDir, 'workspaces/01b'), expect.any(String)],
        [join(dataDir, 'workspaces/01d'), expect.stringContaining('it is not a regular file')],
      ]),
    );
    const storage = workspaceStorage(store, never);
    expect(await storage.load()).toEqual([workspace]);
    expect(Buffer.from(await storage.read('01a', one)).toString()).toBe('one');
    await expect(storage.read('01a', two)).rejects.toThrow('is missing');
    expect(await skillState(store).all('counter')).toEqual(counter);
    const copied = await readdir(join(dataDir, 'former-0.1.0'), { recursive: true });
    expect(copied).toEqual(expect.arrayContaining(['state/spoilt.json', 'workspaces/01b/workspace.json']));
  });

  test('is refused with the folder that it cannot move, and the next one completes it', async () => {
    const store = await emptyStore(database);
    const dataDir = await formerDataDir({ ...former, 'former-0.1.0': 'a file in place of the folder' });
    await expect(importFormer(dataDir, store, never)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /^the store .*\/state cannot be used: Ambit 0\.1\.0 wrote it, and its import failed: EEXIST/,
      ),
    });
    await rm(join(dataDir, 'former-0.1.0'));
    await importFormer(dataDir, store, never);
    expect(await skillState(store).all('counter')).toEqual(counter);
  });
});
