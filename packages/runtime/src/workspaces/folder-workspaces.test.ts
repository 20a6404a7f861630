import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  contentsBounds,
  openWorkspaces,
  type Workspace,
  type WorkspaceBounds,
  type WorkspaceStorage,
  type Workspaces,
} from '@ambit/core';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../testing/skill-on-disk.ts';
import { folderWorkspaces } from './folder-workspaces.ts';

const never = new AbortController().signal;
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const nothing = async (): Promise<void> => undefined;

/** A clock that is set by hand, and what uses it. */
interface World {
  clock: { now: number };
  folder: string;
  unreadable: string[];
  /** Those that have expired, when they could be told of. */
  expired: string[];
  /** What comes of telling of one that expires; `undefined`: it can be told. */
  expiry: { fault: Error | undefined };
  open(around?: Partial<WorkspaceStorage>, bounds?: Partial<WorkspaceBounds>): Promise<Workspaces>;
}

async function world(): Promise<World> {
  const folder = join(await temporaryFolder(), 'workspaces');
  const clock = { now: 1_000_000 };
  const unreadable: string[] = [];
  const expired: string[] = [];
  const expiry: World['expiry'] = { fault: undefined };
  let ids = 0;
  return {
    clock,
    folder,
    unreadable,
    expired,
    expiry,
    async open(around = {}, bounds = {}) {
      const storage = {
        ...folderWorkspaces({ folder, onUnreadable: (place) => unreadable.push(place) }),
        ...around,
      };
      return openWorkspaces(
        {
          ...{ storage, now: () => clock.now, sha256, newId: () => `id-${++ids}` },
          beforeExpiry: async ({ id }) => {
            if (expiry.fault !== undefined) throw expiry.fault;
            expired.push(id);
          },
          bounds: {
            ...{ most: 3, quotaBytes: 100, quotaBytesMost: 100 },
            ...{ expiresAfterMs: 1000, expiresAfterMsMost: 5000, ...bounds },
          },
        },
        await storage.load(),
      );
    },
  };
}

async function change(
  workspaces: Workspaces,
  id: string,
  put: Record<string, string>,
  drop: string[] = [],
): Promise<void> {
  const turn = await workspaces.enter('bot', id, never);
  try {
    const files = Object.entries(put).map(([path, content]) => ({ path, content: text(content) }));
    const staged = await turn?.stage({ put: files, drop });
    await staged?.commit();
  } finally {
    await turn?.leave();
  }
}

async function contentsOf(workspaces: Workspaces, id: string): Promise<Record<string, string>> {
  const turn = await workspaces.enter('bot', id, never);
  const files = (await turn?.files()) ?? [];
  await turn?.leave();
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}

describe('a workspace', () => {
  test('is there again after a restart, with its files, its quota and its expiry', async () => {
    const { open, clock, folder } = await world();
    const before = await open();
    const made = await before.create('bot', { label: 'notes', quotaBytes: 50 }, nothing);
    await change(before, made.id, { 'a/b.txt': 'one', c: 'two' });
    clock.now += 10;
    await change(before, made.id, { c: 'three' }, []);
    const after = await open();
    const file = (path: string, content: string, modified: number) => ({
      ...{ path, bytes: content.length, sha256: sha256(text(content)), modified },
    });
    expect(after.list('bot')).toEqual<Workspace[]>([
      {
        ...{ id: made.id, owner: 'bot', label: 'notes', quotaBytes: 50, expiresInMs: 1000 },
        ...{ createdAt: 1_000_000, usedAt: 1_000_010 },
        files: [file('a/b.txt', 'one', 1_000_000), file('c', 'three', 1_000_010)],
      },
    ]);
    expect(await contentsOf(after, made.id)).toEqual({ 'a/b.txt': 'one', c: 'three' });
    // What it was before is gone, and nobody else can look.
    expect(await readdir(join(folder, made.id, 'contents'))).toHaveLength(2);
    expect((await stat(join(folder, made.id, 'workspace.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('is for its owner alone, and for another as if it were not there', async () => {
    const { open } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    const message = (name: string): unknown =>
      expect.objectContaining({
        code: 'WORKSPACE_NOT_FOUND',
        message: expect.stringContaining(`no workspace "${name}"`),
      });
    expect(() => workspaces.get('other', id)).toThrow(message(id) as Error);
    expect(() => workspaces.get('other', 'none')).toThrow(message('none') as Error);
    await expect(workspaces.enter('other', id, never)).rejects.toEqual(message(id));
    await expect(workspaces.read('other', id, 'a')).rejects.toEqual(message(id));
    expect(workspaces.list('other')).toEqual([]);
    expect(workspaces.get('bot', id).id).toBe(id);
  });

  test('has names that mean something to a disk as names like any other, and touches none of it', async () => {
    const { open, folder } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    const odd = [
      'CON',
      'a b',
      'ü',
      'u\u0308',
      'A',
      'a',
      '-rf',
      '~',
      '$HOME',
      'x.new',
      'workspace.json',
      '__proto__',
    ];
    await change(workspaces, id, Object.fromEntries(odd.map((name) => [name, `is ${name}`])));
    expect(await contentsOf(await open(), id)).toEqual(
      Object.fromEntries(odd.map((name) => [name, `is ${name}`])),
    );
    expect((await readdir(join(folder, id))).sort()).toEqual(['contents', 'workspace.json']);
    const names = await readdir(join(folder, id, 'contents'));
    expect(names.every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
  });

  test.each([
    ['../a', 'is no place in a workspace'],
    ['/etc/passwd', 'is no place in a workspace'],
    ['a//b', 'is no place in a workspace'],
    ['a/./b', 'is no place in a workspace'],
    ['a\\b', 'is no place in a workspace'],
    ['a\0b', 'is no place in a workspace'],
    ['', 'is no place in a workspace'],
    ['\uD800', 'is not a name in UTF-8'],
    ['a\uFFFD', 'is not a name in UTF-8'],
    ['ü'.repeat(128), 'has a name of more than 255 bytes'],
    [`${'a/'.repeat(32)}b`, 'is nested more than 32 deep'],
  ])('takes no file %j', async (path, problem) => {
    const { open } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    await expect(change(workspaces, id, { [path]: 'x' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(problem),
    });
    expect(workspaces.get('bot', id).files).toEqual([]);
    await change(workspaces, id, { 'a/b': 'x' });
    expect(await contentsOf(workspaces, id)).toEqual({ 'a/b': 'x' });
  });

  test('takes no file where another needs a folder', async () => {
    const { open } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    await change(workspaces, id, { 'a/b': 'x' });
    await expect(change(workspaces, id, { a: 'x' })).rejects.toMatchObject({
      message: '"a" is a file, and a folder that another file lies in',
    });
    await change(workspaces, id, { a: 'y' }, ['a/b']);
    expect(await contentsOf(workspaces, id)).toEqual({ a: 'y' });
  });

  test('holds its quota, so many files and folders and so long paths, and no more', async () => {
    const { open, folder } = await world();
    const workspaces = await open({}, { quotaBytesMost: 10_000 });
    const { id } = await workspaces.create('bot', { quotaBytes: 10 }, nothing);
    await change(workspaces, id, { a: '12345', b: '67890' });
    await expect(change(workspaces, id, { c: 'x' })).rejects.toMatchObject({ code: 'WORKSPACE_FULL' });
    await expect(change(workspaces, id, { a: '123456' })).rejects.toMatchObject({ code: 'WORKSPACE_FULL' });
    expect(await contentsOf(workspaces, id)).toEqual({ a: '12345', b: '67890' });
    expect(await readdir(join(folder, id, 'contents'))).toHaveLength(2);
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f/${index}`, '']));
    const other = await workspaces.create('bot', { quotaBytes: 10 }, nothing);
    await expect(change(workspaces, other.id, many(contentsBounds.entries))).rejects.toMatchObject({
      code: 'WORKSPACE_FULL',
      message: expect.stringContaining('4001 files and folders, and may have 4000'),
    });
    await change(workspaces, other.id, many(contentsBounds.entries - 1));
    expect(workspaces.get('bot', other.id).files).toHaveLength(3999);
    const folders = `${'d'.repeat(253)}/${'é'.repeat(127)}/`.repeat(2);
    const kibibytes = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [folders + (100_000 + index), '']));
    const named = await workspaces.create('bot', {}, nothing);
    await expect(change(workspaces, named.id, kibibytes(513))).rejects.toMatchObject({
      code: 'WORKSPACE_FULL',
      message: expect.stringContaining('its paths would have 525312 bytes, and may have 524288'),
    });
    await change(workspaces, named.id, kibibytes(512));
  });

  test('is one of so many, and within the bounds', async () => {
    const { open } = await world();
    const workspaces = await open();
    const refused = async (wish: object, code: string) =>
      expect(workspaces.create('bot', wish, nothing)).rejects.toMatchObject({ code });
    await refused({ quotaBytes: 101 }, 'INPUT_INVALID');
    await refused({ expiresInMs: 5001 }, 'INPUT_INVALID');
    const made = await Promise.allSettled(
      Array.from({ length: 5 }, () => workspaces.create('bot', {}, nothing)),
    );
    expect(made.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    ]);
    await refused({}, 'WORKSPACE_LIMIT');
    await workspaces.create('other', {}, nothing);
  });

  test('whose log cannot be written is not made', async () => {
    const { open } = await world();
    const workspaces = await open();
    await expect(workspaces.create('bot', {}, () => Promise.reject(new Error('full')))).rejects.toThrow(
      'full',
    );
    expect([workspaces.list('bot'), (await open()).list('bot')]).toEqual([[], []]);
  });
});

describe('a change that is interrupted', () => {
  /** Every step of the storage by which something is changed. */
  const steps = ['keep', 'write', 'tidy'] as const;

  test.each(steps)('at its step %s leaves the old state or the new one, and no more', async (step) => {
    for (let survives = 0; survives < 3; survives += 1) {
      const { open, folder } = await world();
      const first = await open();
      const { id } = await first.create('bot', {}, nothing);
      await change(first, id, { a: 'old a', b: 'old b' });
      let left = survives;
      const storage = folderWorkspaces({ folder, onUnreadable: () => undefined });
      const dying = await open({
        [step]: async (...args: unknown[]) => {
          if (left-- === 0) throw new Error('the power is gone');
          return (storage[step] as (...all: unknown[]) => Promise<void>)(...args);
        },
      });
      await change(dying, id, { a: 'new a', c: 'new c' }, ['b']).catch(() => undefined);
      const after = await open();
      const contents = await contentsOf(after, id);
      const [before, then] = [
        { a: 'old a', b: 'old b' },
        { a: 'new a', c: 'new c' },
      ];
      expect([before, then]).toContainEqual(contents);
      expect(await readdir(join(folder, id, 'contents'))).toHaveLength(2);
    }
  });

  test('leaves drafts that are no content, and half a workspace that is none', async () => {
    const { open, folder, unreadable } = await world();
    const { id } = await (await open()).create('bot', {}, nothing);
    await change(await open(), id, { a: 'x' });
    await mkdir(join(folder, 'half', 'contents'), { recursive: true });
    await mkdir(join(folder, 'old.gone'));
    await writeFile(join(folder, id, 'workspace.json.new'), '{"id":');
    await writeFile(join(folder, id, 'contents', `${sha256(text('y'))}.new`), 'half');
    expect(await contentsOf(await open(), id)).toEqual({ a: 'x' });
    expect([await readdir(folder), await readdir(join(folder, id, 'contents')), unreadable]).toEqual([
      [id],
      [sha256(text('x'))],
      [],
    ]);
  });

  test('a record that cannot be read is left for somebody to look at', async () => {
    const { open, folder, unreadable } = await world();
    const { id } = await (await open()).create('bot', {}, nothing);
    await writeFile(join(folder, id, 'workspace.json'), '{"id":"another"}');
    expect((await open()).list('bot')).toEqual([]);
    expect(unreadable).toEqual([join(folder, id)]);
    expect(await readFile(join(folder, id, 'workspace.json'), 'utf8')).toBe('{"id":"another"}');
  });

  test('a pipe in the place of a record or of content is not waited for', async () => {
    const { open, folder, unreadable } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    await change(workspaces, id, { a: 'x' });
    for (const file of [
      join(folder, id, 'contents', sha256(text('x'))),
      join(folder, id, 'workspace.json'),
    ]) {
      await rm(file);
      execFileSync('mkfifo', [file]);
    }
    await expect(workspaces.read('bot', id, 'a')).rejects.toThrow('it is a pipe');
    expect((await open()).list('bot')).toEqual([]);
    expect(unreadable).toEqual([join(folder, id)]);
  });

  test('content that is not what was kept is an error and no content', async () => {
    const { open, folder } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    await change(workspaces, id, { a: 'x' });
    const file = join(folder, id, 'contents', sha256(text('x')));
    await chmod(file, 0o600);
    await writeFile(file, 'y');
    await expect(workspaces.read('bot', id, 'a')).rejects.toThrow('is not what was kept there');
  });
});

describe('what nobody uses', () => {
  test('is gone when its time is over, is told of, and makes room', async () => {
    const { open, clock, folder, expired } = await world();
    const workspaces = await open({}, { most: 1 });
    const { id } = await workspaces.create('bot', {}, nothing);
    clock.now += 999;
    await workspaces.sweep();
    expect([expired, workspaces.list('bot').length]).toEqual([[], 1]);
    clock.now += 1;
    expect(() => workspaces.get('bot', id)).toThrow('or it has expired');
    await workspaces.sweep();
    expect([expired, await readdir(folder)]).toEqual([[id], []]);
    await workspaces.create('bot', {}, nothing);
  });

  test('is removed where another is to take its place, so that never more lie there than may', async () => {
    const { open, clock, folder, expired, expiry } = await world();
    const workspaces = await open({}, { most: 2 });
    const first = await workspaces.create('bot', {}, nothing);
    clock.now += 500;
    const second = await workspaces.create('bot', {}, nothing);
    await workspaces.create('other', {}, nothing);
    clock.now += 500;
    expiry.fault = new Error('full');
    await expect(workspaces.create('bot', {}, nothing)).rejects.toThrow('full');
    expect([expired, await readdir(folder)]).toEqual([[], [first.id, second.id, 'id-3']]);
    expiry.fault = undefined;
    const made = await Promise.allSettled([1, 2].map(() => workspaces.create('bot', {}, nothing)));
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect([expired, await readdir(folder)]).toEqual([[first.id], [second.id, 'id-3', 'id-4']]);
  });

  test('each use begins its time again, over a restart too', async () => {
    const { open, clock } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    await change(workspaces, id, { a: 'x' });
    for (let use = 0; use < 5; use += 1) {
      clock.now += 900;
      await workspaces.read('bot', id, 'a');
      await workspaces.sweep();
    }
    clock.now += 900;
    expect((await open()).list('bot')).toHaveLength(1);
    clock.now += 100;
    expect((await open()).list('bot')).toEqual([]);
  });

  test('many small uses are one long one, over a restart too', async () => {
    const { open, clock } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    await change(workspaces, id, { a: 'x' });
    for (let use = 0; use < 25; use += 1) {
      clock.now += 60;
      await workspaces.read('bot', id, 'a');
      await workspaces.sweep();
    }
    expect((await open()).list('bot')).toHaveLength(1);
  });

  test('is not gone while it is in use', async () => {
    const { open, clock, expired } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    const turn = await workspaces.enter('bot', id, never);
    clock.now += 5000;
    await workspaces.sweep();
    expect([workspaces.get('bot', id).id, expired]).toEqual([id, []]);
    await turn?.leave();
    clock.now += 999;
    expect(workspaces.get('bot', id).id).toBe(id);
  });

  test('stays when the log cannot be told', async () => {
    const { open, clock, folder, expiry } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    clock.now += 1000;
    expiry.fault = new Error('full');
    await expect(workspaces.sweep()).rejects.toThrow('full');
    expect(await readdir(folder)).toEqual([id]);
    expiry.fault = undefined;
    await workspaces.sweep();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('one at a time', () => {
  test('in the order in which they came, but for those that give up', async () => {
    const { open } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    const order: string[] = [];
    const holder = await workspaces.enter('bot', id, never);
    const gone = new AbortController();
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      const turn = await workspaces.enter('bot', id, name === 'b' ? gone.signal : never);
      order.push(turn === undefined ? `${name} gave up` : name);
      await turn?.leave();
    });
    gone.abort(new Error('enough'));
    await holder?.leave();
    await Promise.all(waiting);
    expect(order).toEqual(['b gave up', 'a', 'c']);
  });

  test('and no more than so many wait', async () => {
    const { open } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    const holder = await workspaces.enter('bot', id, never);
    const waiting = Array.from({ length: 16 }, () => workspaces.enter('bot', id, never));
    await expect(workspaces.enter('bot', id, never)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    await holder?.leave();
    for (const each of waiting) await (await each)?.leave();
    await (await workspaces.enter('bot', id, never))?.leave();
  });

  test('and who waits for one that is removed is told that it is gone', async () => {
    const { open, folder } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    const holder = await workspaces.enter('bot', id, never);
    const waiting = workspaces.enter('bot', id, never);
    await holder?.remove();
    await holder?.leave();
    await expect(waiting).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
    expect(await readdir(folder)).toEqual([]);
  });
});
