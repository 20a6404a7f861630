// Threat model: T326, T328

import { describe, expect, test } from 'vitest';
import type { Workspace } from '../../../packages/core/src/workspace.ts';
import { databases } from '../../../packages/server/src/store/testing/databases.ts';
import {
  change,
  contentsOf,
  never,
  nothing,
  oneWorkspace,
  sha256,
  text,
  world,
} from '../support/workspaces-world.ts';

describe.each(databases)('a workspace in $name', (database) => {
  test('keeps its files, quota and expiry over a restart', async () => {
    const { open, clock, storedContents } = await world(database);
    const before = await open();
    const made = await before.create('bot', { label: 'notes', quotaBytes: 50 }, nothing);
    await change(before, made.id, { 'a/b.txt': 'one', c: 'two' });
    clock.now += 10;
    await change(before, made.id, { c: 'three' }, []);
    const after = await open();
    const file = (path: string, content: string, modified: number) => ({
      path,
      bytes: content.length,
      sha256: sha256(text(content)),
      modified,
    });
    expect(await after.list('bot')).toEqual<Workspace[]>([
      {
        id: made.id,
        owner: 'bot',
        label: 'notes',
        quotaBytes: 50,
        expiresInMs: 1000,
        createdAt: 1_000_000,
        usedAt: 1_000_010,
        links: [],
        folders: [],
        files: [file('a/b.txt', 'one', 1_000_000), file('c', 'three', 1_000_010)],
      },
    ]);
    expect(await contentsOf(after, made.id)).toEqual({ 'a/b.txt': 'one', c: 'three' });
    // The previous content is removed.
    expect(await storedContents(made.id, ['one', 'two', 'three'])).toEqual(['one', 'three']);
  });

  test('is visible to its owner only, and missing for other keys', async () => {
    const { workspaces, id } = await oneWorkspace(database);
    const message = (name: string): unknown =>
      expect.objectContaining({
        code: 'WORKSPACE_NOT_FOUND',
        message: expect.stringContaining(`workspace "${name}"`),
      });
    await expect(workspaces.get('other', id)).rejects.toEqual(message(id));
    await expect(workspaces.get('other', 'none')).rejects.toEqual(message('none'));
    await expect(workspaces.enter('other', id, never)).rejects.toEqual(message(id));
    await expect(workspaces.read('other', id, 'a')).rejects.toEqual(message(id));
    expect(await workspaces.list('other')).toEqual([]);
    expect((await workspaces.get('bot', id)).id).toBe(id);
  });

  test('accepts names that are special on a disk or in a program', async () => {
    const { open, workspaces, id } = await oneWorkspace(database);
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
  });

  test.each([
    ['../a', 'is not a valid path in a workspace'],
    ['/etc/passwd', 'is not a valid path in a workspace'],
    ['a//b', 'is not a valid path in a workspace'],
    ['a/./b', 'is not a valid path in a workspace'],
    ['a\\b', 'is not a valid path in a workspace'],
    ['a\0b', 'is not a valid path in a workspace'],
    ['', 'is not a valid path in a workspace'],
    ['\uD800', 'is not a name in UTF-8'],
    ['a\uFFFD', 'is not a name in UTF-8'],
    ['ü'.repeat(128), 'has a name of more than 255 bytes'],
    [`${'a/'.repeat(32)}b`, 'is nested more than 32 deep'],
  ])('refuses a file at %j', async (path, problem) => {
    const { workspaces, id } = await oneWorkspace(database);
    await expect(change(workspaces, id, { [path]: 'x' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(problem),
    });
    expect((await workspaces.get('bot', id)).files).toEqual([]);
    await change(workspaces, id, { 'a/b': 'x' });
    expect(await contentsOf(workspaces, id)).toEqual({ 'a/b': 'x' });
  });

  test('refuses a file where another one needs a folder', async () => {
    const { workspaces, id } = await oneWorkspace(database, { 'a/b': 'x' });
    await expect(change(workspaces, id, { a: 'x' })).rejects.toMatchObject({
      message: '"a" is both a file and the folder of another file',
    });
    await change(workspaces, id, { a: 'y' }, ['a/b']);
    expect(await contentsOf(workspaces, id)).toEqual({ a: 'y' });
  });

  test('enforces its quota and its limits on files, folders and path lengths', async () => {
    const { open, storedContents } = await world(database);
    const workspaces = await open({}, { quotaBytesMax: 10_000 });
    const { id } = await workspaces.create('bot', { quotaBytes: 10 }, nothing);
    await change(workspaces, id, { a: '12345', b: '67890' });
    await expect(change(workspaces, id, { c: 'x' })).rejects.toMatchObject({ code: 'WORKSPACE_FULL' });
    await expect(change(workspaces, id, { a: '123456' })).rejects.toMatchObject({ code: 'WORKSPACE_FULL' });
    expect(await contentsOf(workspaces, id)).toEqual({ a: '12345', b: '67890' });
    expect(await storedContents(id, ['12345', '67890', 'x', '123456'])).toEqual(['12345', '67890']);
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f/${index}`, '']));
    const other = await workspaces.create('bot', { quotaBytes: 10 }, nothing);
    await expect(change(workspaces, other.id, many(4000))).rejects.toMatchObject({
      code: 'WORKSPACE_FULL',
      message: expect.stringContaining(
        '4001 files and folders; the limit is 4000, set by workspaces.maxFiles',
      ),
    });
    await change(workspaces, other.id, many(4000 - 1));
    expect((await workspaces.get('bot', other.id)).files).toHaveLength(3999);
    const folders = `${'d'.repeat(253)}/${'é'.repeat(127)}/`.repeat(2);
    const kibibytes = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [folders + (100_000 + index), '']));
    const larger = await open({}, { entriesMax: 20_000 });
    const named = await larger.create('bot', {}, nothing);
    await expect(change(larger, named.id, kibibytes(8193))).rejects.toMatchObject({
      code: 'WORKSPACE_FULL',
      message: expect.stringContaining('its paths would have 8389632 bytes; the limit is 8388608'),
    });
    await change(larger, named.id, kibibytes(8192));
  });

  test('is limited in number and by the configured bounds', async () => {
    const { open } = await world(database);
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

  test('is not created if its record cannot be logged', async () => {
    const { open } = await world(database);
    const workspaces = await open();
    await expect(workspaces.create('bot', {}, () => Promise.reject(new Error('full')))).rejects.toThrow(
      'full',
    );
    expect([await workspaces.list('bot'), await (await open()).list('bot')]).toEqual([[], []]);
  });
});
