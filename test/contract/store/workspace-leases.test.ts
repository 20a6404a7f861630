// Threat model: T328

import { describe, expect, test } from 'vitest';
import { databases } from '../../../packages/server/src/store/testing/databases.ts';
import { never, nothing, oneWorkspace, world } from '../support/workspaces-world.ts';

describe.each(databases)('an unused workspace in $name', (database) => {
  test('expires, is logged and makes room for another', async () => {
    const { open, clock, storedIds, expired } = await world(database);
    const workspaces = await open({}, { countMax: 1 });
    const { id } = await workspaces.create('bot', {}, nothing);
    clock.now += 999;
    await workspaces.sweep();
    expect([expired, (await workspaces.list('bot')).length]).toEqual([[], 1]);
    clock.now += 1;
    await expect(workspaces.get('bot', id)).rejects.toThrow('has expired');
    await workspaces.sweep();
    expect([expired, await storedIds()]).toEqual([[id], []]);
    await workspaces.create('bot', {}, nothing);
  });

  test('is removed before another takes its place, so the limit holds', async () => {
    const { open, clock, storedIds, expired, expiry } = await world(database);
    const workspaces = await open({}, { countMax: 2 });
    const first = await workspaces.create('bot', {}, nothing);
    clock.now += 500;
    const second = await workspaces.create('bot', {}, nothing);
    await workspaces.create('other', {}, nothing);
    clock.now += 500;
    expiry.fault = new Error('full');
    await expect(workspaces.create('bot', {}, nothing)).rejects.toThrow('full');
    expect([expired, await storedIds()]).toEqual([[], [first.id, second.id, 'id-3']]);
    expiry.fault = undefined;
    const made = await Promise.allSettled([1, 2].map(() => workspaces.create('bot', {}, nothing)));
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect([expired, await storedIds()]).toEqual([[first.id], [second.id, 'id-3', 'id-4']]);
  });

  test('starts its time again with each use, over a restart too', async () => {
    const { open, clock, workspaces, id } = await oneWorkspace(database, { a: 'x' });
    for (let use = 0; use < 5; use += 1) {
      clock.now += 900;
      await workspaces.read('bot', id, 'a');
      await workspaces.sweep();
    }
    clock.now += 900;
    expect(await (await open()).list('bot')).toHaveLength(1);
    clock.now += 100;
    expect(await (await open()).list('bot')).toEqual([]);
  });

  test('stays for many short uses, over a restart too', async () => {
    const { open, clock, workspaces, id } = await oneWorkspace(database, { a: 'x' });
    for (let use = 0; use < 25; use += 1) {
      clock.now += 60;
      await workspaces.read('bot', id, 'a');
      await workspaces.sweep();
    }
    expect(await (await open()).list('bot')).toHaveLength(1);
  });

  test('does not expire while in use', async () => {
    const { clock, expired, workspaces, id } = await oneWorkspace(database);
    const lease = await workspaces.enter('bot', id, never);
    clock.now += 5000;
    await workspaces.sweep();
    expect([(await workspaces.get('bot', id)).id, expired]).toEqual([id, []]);
    await lease?.release();
    clock.now += 999;
    expect((await workspaces.get('bot', id)).id).toBe(id);
  });

  test('stays if its expiry cannot be logged', async () => {
    const { clock, storedIds, expiry, workspaces, id } = await oneWorkspace(database);
    clock.now += 1000;
    expiry.fault = new Error('full');
    await expect(workspaces.sweep()).rejects.toThrow('full');
    expect(await storedIds()).toEqual([id]);
    expiry.fault = undefined;
    await workspaces.sweep();
    expect(await storedIds()).toEqual([]);
  });

  test('is removed even if another one cannot be', async () => {
    const { open, clock, storage, storedIds } = await world(database);
    const stuck = async (id: string): Promise<void> => {
      if (id === first.id) throw new Error('stuck');
      await storage.remove(id);
    };
    const workspaces = await open({ remove: stuck });
    const first = await workspaces.create('bot', {}, nothing);
    await workspaces.create('bot', {}, nothing);
    clock.now += 1000;
    await expect(workspaces.sweep()).rejects.toThrow('stuck');
    expect(await storedIds()).toEqual([first.id]);
  });

  test('makes room even if it was removed by hand, and can be deleted', async () => {
    const { open, clock, storage, expired } = await world(database);
    const workspaces = await open({}, { countMax: 2 });
    const [first, second] = [
      await workspaces.create('bot', {}, nothing),
      await workspaces.create('bot', {}, nothing),
    ];
    for (const { id } of [first, second]) await storage.remove(id);
    const lease = await workspaces.enter('bot', first.id, never);
    await lease?.remove();
    await lease?.release();
    clock.now += 1000;
    await workspaces.sweep();
    expect([expired, workspaces.load().workspaces]).toEqual([[second.id], 0]);
  });
});

describe.each(databases)('calls that use the same workspace in $name', (database) => {
  test('run one at a time in order of arrival, without the calls that give up', async () => {
    const { workspaces, id } = await oneWorkspace(database);
    const order: string[] = [];
    const holder = await workspaces.enter('bot', id, never);
    const gone = new AbortController();
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      const lease = await workspaces.enter('bot', id, name === 'b' ? gone.signal : never);
      order.push(lease === undefined ? `${name} gave up` : name);
      await lease?.release();
    });
    gone.abort(new Error('enough'));
    await holder?.release();
    await Promise.all(waiting);
    expect(order).toEqual(['b gave up', 'a', 'c']);
  });

  test('are refused beyond the limit of waiting calls', async () => {
    const { workspaces, id } = await oneWorkspace(database);
    const holder = await workspaces.enter('bot', id, never);
    const waiting = Array.from({ length: 16 }, () => workspaces.enter('bot', id, never));
    await expect(workspaces.enter('bot', id, never)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    await holder?.release();
    for (const each of waiting) await (await each)?.release();
    await (await workspaces.enter('bot', id, never))?.release();
  });

  test('fail if the workspace is removed while they wait', async () => {
    const { storedIds, workspaces, id } = await oneWorkspace(database);
    const holder = await workspaces.enter('bot', id, never);
    const waiting = workspaces.enter('bot', id, never);
    await holder?.remove();
    await holder?.release();
    await expect(waiting).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
    expect(await storedIds()).toEqual([]);
  });
});
