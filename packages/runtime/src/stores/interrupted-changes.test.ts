import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { change, contentsOf, nothing, sha256, text, world } from '../testing/workspaces-world.ts';
import { folderWorkspaces } from './folder-workspaces.ts';

describe('interrupted changes of a workspace', () => {
  /** The steps of the storage that change something. */
  const steps = ['store', 'write', 'tidy'] as const;

  test.each(steps)('leaves the old or the new state if a change ends at step %s', async (step) => {
    for (let completedCalls = 0; completedCalls < 3; completedCalls += 1) {
      const { open, folder } = await world();
      const first = await open();
      const { id } = await first.create('bot', {}, nothing);
      await change(first, id, { a: 'old a', b: 'old b' });
      let callsLeft = completedCalls;
      const storage = folderWorkspaces({ folder, onUnreadable: () => undefined });
      const dying = await open({
        [step]: async (...args: unknown[]) => {
          if (callsLeft-- === 0) throw new Error('the power is gone');
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

  test('removes drafts and incomplete workspaces at a restart', async () => {
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

  test('leaves an unreadable record for the operator', async () => {
    const { open, folder, unreadable } = await world();
    const { id } = await (await open()).create('bot', {}, nothing);
    await writeFile(join(folder, id, 'workspace.json'), '{"id":"another"}');
    expect((await open()).list('bot')).toEqual([]);
    expect(unreadable).toEqual([join(folder, id)]);
    expect(await readFile(join(folder, id, 'workspace.json'), 'utf8')).toBe('{"id":"another"}');
  });

  test('does not wait for a pipe in place of a record or content', async () => {
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

  test('reports content that changed on disk', async () => {
    const { open, folder } = await world();
    const workspaces = await open();
    const { id } = await workspaces.create('bot', {}, nothing);
    await change(workspaces, id, { a: 'x' });
    const file = join(folder, id, 'contents', sha256(text('x')));
    await chmod(file, 0o600);
    await writeFile(file, 'y');
    await expect(workspaces.read('bot', id, 'a')).rejects.toThrow('has changed on disk');
  });
});
