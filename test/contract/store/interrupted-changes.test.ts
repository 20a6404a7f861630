// Threat model: T329

import { describe, expect, test } from 'vitest';
import { SkillError } from '../../../packages/core/src/index.ts';
import { allBytesOf, type WorkspaceStorage } from '../../../packages/core/src/workspace.ts';
import { workspaceStorage } from '../../../packages/server/src/index.ts';
import { databases } from '../../../packages/server/src/store/testing/databases.ts';
import {
  change,
  contentsOf,
  never,
  nothing,
  oneWorkspace,
  text,
  world,
} from '../support/workspaces-world.ts';

const gone = new SkillError('STORE_UNAVAILABLE', 'the store cannot be used: the disk is full');

/** Fails at its next use, before or after the storage has done it; then works. */
function failing<Method extends 'prepare' | 'write' | 'remove'>(
  storage: WorkspaceStorage,
  method: Method,
  when: 'before' | 'after',
): Pick<WorkspaceStorage, Method> & { isBroken: boolean } {
  const broken = {
    isBroken: false,
    async [method](...given: [never, never]) {
      if (broken.isBroken && when === 'before') throw gone;
      await storage[method](...given);
      if (broken.isBroken) throw gone;
    },
  };
  return broken as unknown as Pick<WorkspaceStorage, Method> & { isBroken: boolean };
}

const before = { a: 'old a', b: 'old b' };
const after = { a: 'new a', c: 'new c' };
const contents = ['old a', 'old b', 'new a', 'new c'];

describe.each(databases)('an interrupted change of a workspace in $name', (database) => {
  test.each([
    ['prepare', 'before', before],
    ['prepare', 'after', before],
    ['write', 'before', before],
    ['write', 'after', after],
  ] as const)('leaves one state if Ambit ends at step %s, %s it is done', async (step, when, expected) => {
    const { open, storage, storedContents } = await world(database);
    const failure = failing(storage, step, when);
    const dying = await open(failure);
    const { id } = await dying.create('bot', {}, nothing);
    await change(dying, id, before);
    failure.isBroken = true;
    await expect(change(dying, id, after, ['b'])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const again = await open();
    expect(await contentsOf(again, id)).toEqual(expected);
    // The next change removes what the interrupted one has left.
    await change(again, id, expected === before ? { a: 'newest' } : { b: 'newest' }, ['c']);
    expect(await storedContents(id, [...contents, 'newest'])).toEqual([
      expected === before ? 'old b' : 'new a',
      'newest',
    ]);
  });

  test.each(['before', 'after'] as const)(
    'is completed before the next use if the store fails %s it has written the record',
    async (when) => {
      const { open, storage, storedContents } = await world(database);
      const failure = failing(storage, 'write', when);
      const workspaces = await open(failure);
      const { id } = await workspaces.create('bot', {}, nothing);
      await change(workspaces, id, before);
      failure.isBroken = true;
      const message =
        'the audit log has a change of this workspace, but it is not stored: the store cannot be used: the disk is full. Ambit tries again at the next use of the workspace and every minute; the change is lost if Ambit stops before';
      await expect(change(workspaces, id, after, ['b'])).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message,
      });
      await expect(workspaces.enter('bot', id, never)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(await storedContents(id, contents)).toEqual(when === 'before' ? contents : ['new a', 'new c']);
      failure.isBroken = false;
      expect(await contentsOf(workspaces, id)).toEqual(after);
      expect(await storedContents(id, contents)).toEqual(['new a', 'new c']);
      expect(await contentsOf(await open(), id)).toEqual(after);
    },
  );

  test('is completed by a sweep', async () => {
    const { open, storage, storedIds } = await world(database);
    const write = failing(storage, 'write', 'before');
    const remove = failing(storage, 'remove', 'before');
    const workspaces = await open({ ...write, ...remove });
    const { id } = await workspaces.create('bot', {}, nothing);
    [write.isBroken, remove.isBroken] = [true, true];
    await expect(workspaces.create('bot', {}, nothing)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const lease = await workspaces.enter('bot', id, never);
    await expect(lease?.remove()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await lease?.release();
    await expect(workspaces.get('bot', id)).rejects.toThrow('does not exist');
    expect(await storedIds()).toEqual([id]);
    await expect(workspaces.sweep()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    [write.isBroken, remove.isBroken] = [false, false];
    await workspaces.sweep();
    expect([(await workspaces.list('bot')).map((each) => each.id), await storedIds()]).toEqual([
      ['id-2'],
      ['id-2'],
    ]);
    expect(workspaces.load().workspaces).toBe(1);
  });

  test('of a workspace that expired is logged once', async () => {
    const { open, storage, clock, expired, storedIds } = await world(database);
    const failure = failing(storage, 'remove', 'before');
    const workspaces = await open(failure);
    const { id } = await workspaces.create('bot', {}, nothing);
    clock.now += 1000;
    failure.isBroken = true;
    for (let time = 0; time < 2; time += 1)
      await expect(workspaces.sweep()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    failure.isBroken = false;
    await workspaces.sweep();
    expect([expired, await storedIds()]).toEqual([[id], []]);
  });

  test('whose audit event cannot be written leaves the former state', async () => {
    const { open, storedContents, workspaces, id } = await oneWorkspace(database, before);
    const lease = await workspaces.enter('bot', id, never);
    await lease?.stage({ put: [{ path: 'a', content: text('unrecorded') }], drop: [] });
    await lease?.release();
    expect(await contentsOf(await open(), id)).toEqual(before);
    await change(workspaces, id, { c: 'new c' });
    expect(await storedContents(id, ['unrecorded', ...contents])).toEqual(['old a', 'old b', 'new c']);
  });
});

describe.each(databases)('the storage of workspaces in $name', (database) => {
  test('leaves an unreadable record unchanged, and reports it', async () => {
    const { store } = await world(database);
    await store.run('writeWorkspace', 'odd', '{"id":"other","files":[]}', 0);
    const unreadable: string[] = [];
    expect(await workspaceStorage(store, (id) => unreadable.push(id)).load()).toEqual([]);
    expect([unreadable, await store.run('workspaceRecords')]).toEqual([
      ['odd'],
      [{ id: 'odd', record: '{"id":"other","files":[]}' }],
    ]);
  });

  test('reports contents that were changed or removed', async () => {
    const { store, workspaces, id } = await oneWorkspace(database, { a: 'x', b: 'y' });
    const [a, b] = (await workspaces.get('bot', id)).files.map(({ sha256 }) => sha256);
    const record = JSON.stringify({ ...(await workspaces.get('bot', id)), files: [] });
    await store.run('writeWorkspace', id, record, 0);
    await store.run('removeUnnamed', id, []);
    await expect(workspaces.read('bot', id, 'b')).rejects.toThrow(
      `the file ${b} of the workspace ${id} is missing`,
    );
    await store.run('addContents', id, [{ sha256: a as string, part: 0, content: text('z') }]);
    await expect(workspaces.read('bot', id, 'a')).rejects.toThrow(
      `the file ${a} of the workspace ${id} has changed in the store`,
    );
  });

  test('stores views of one buffer each for itself, of 0 bytes and of many', async () => {
    const { open } = await world(database);
    const workspaces = await open({}, { quotaBytes: 5_000_000, quotaBytesMax: 5_000_000 });
    const { id } = await workspaces.create('bot', {}, nothing);
    const all = Buffer.alloc(4_000_000, 'abcdefg');
    const views = { none: all.subarray(0, 0), some: all.subarray(3, 10), many: all.subarray(7, 3_500_001) };
    await change(workspaces, id, views);
    for (const [path, view] of Object.entries(views))
      expect(Buffer.compare(await allBytesOf((await workspaces.read('bot', id, path)).content), view)).toBe(
        0,
      );
  });

  test('gives a reader the old or the new file while changes are made', async () => {
    const { workspaces, id } = await oneWorkspace(database, { a: '0' });
    let isOver = false;
    const changing = (async () => {
      for (let number = 1; number <= 30; number += 1) await change(workspaces, id, { a: String(number) });
      isOver = true;
    })();
    let last = 0;
    while (!isOver) {
      const { content } = await workspaces.read('bot', id, 'a');
      const number = Number(Buffer.from(await allBytesOf(content)).toString());
      expect(number).toBeGreaterThanOrEqual(last);
      last = number;
    }
    await changing;
  });

  test('keeps workspaces apart that change at the same time, in two stores', async () => {
    const { open } = await world(database);
    const [one, other] = [await open(), await open()];
    const made = await Promise.all(
      [one, other].map(async (workspaces) => (await workspaces.create('bot', {}, nothing)).id),
    );
    const [first = '', second = ''] = made;
    await Promise.all(
      Array.from({ length: 15 }, (_, index) => [
        change(one, first, { [`f${index % 5}`]: `one ${index}` }),
        change(other, second, { [`f${index % 5}`]: `other ${index}` }),
      ]).flat(),
    );
    const expected = (name: string) =>
      Object.fromEntries([0, 1, 2, 3, 4].map((file) => [`f${file}`, `${name} ${10 + file}`]));
    const again = await open();
    expect([await contentsOf(again, first), await contentsOf(again, second)]).toEqual([
      expected('one'),
      expected('other'),
    ]);
  });
});
