// Threat model: T53, T59, T106

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isWhole } from '../support/whole.ts';
import { attackingSkill, execution, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import type { ExecutionLine } from './support/protocol.ts';

const run = { capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } } };

const left = { status: 'succeeded', output: 'left' };
const plain = { path: 'plain', change: 'created', bytes: 5, content: 'plain' };

describe.each(callers)('reading back a workspace, as $name', (caller) => {
  const ground = stage(caller);
  let skill: string;
  let secret: string;

  beforeAll(async () => {
    skill = await attackingSkill(ground.folder, 'leave.py', run);
    secret = join(ground.folder, 'secret');
    await mkdir(secret);
    for (let number = 0; number < 20; number++) await writeFile(join(secret, String(number)), 'a secret');
  });

  function leave(way: string, more: object = {}, files: Record<string, string> = {}): Promise<ExecutionLine> {
    return execution(ground.program, skill, { given: { way, secret: join(secret, '0'), ...more }, files });
  }

  const odd = (path: string, what: string) => ({
    path,
    change: 'created',
    bytes: 0,
    content: null,
    omitted: `not a regular file but ${what}`,
    leftOut: true,
  });
  const outside = 'a symbolic link that leads out of the workspace';
  const empty = (path: string) => ({ path, change: 'created', bytes: 0, content: '' });

  test('links, FIFOs, sockets, huge files and unusual names are reported and not followed', async () => {
    const { outcome, files = [] } = await leave('odd');
    // A kernel filter may refuse the socket.
    expect({ outcome, files: files.filter(({ path }) => path !== 'socket') }).toEqual({
      outcome: left,
      files: [
        empty('\u001B[31m'),
        odd('absolute', outside),
        odd('fifo', 'a FIFO'),
        odd('folder', outside),
        {
          path: 'giant',
          change: 'created',
          bytes: 2 ** 26,
          content: null,
          omitted: expect.stringContaining('over the limit of'),
        },
        { ...plain, path: 'linked' },
        { path: 'loop', change: 'created', bytes: 0, content: null, link: 'loop' },
        empty('new\nline'),
        plain,
        odd('relative', outside),
        odd('root', outside),
        { ...empty('\uFFFD'), executable: true },
      ],
    });
  });

  test('a symlink that replaces the caller’s file is reported as a symlink', async () => {
    expect(await leave('instead', {}, { given: 'given' })).toMatchObject({
      outcome: left,
      files: [{ ...odd('given', outside), change: 'changed' }, plain],
    });
  });

  test('a path that is too long does not fail the call', async () => {
    const { outcome, files = [] } = await leave('long_path');
    expect({ outcome, plain: files.find(({ path }) => path === 'plain') }).toEqual({ outcome: left, plain });
  });

  test('folders without permissions do not fail the call', async () => {
    const { outcome, files = [] } = await leave('closed');
    // Root can read everything, an ordinary user not even the workspace.
    const expected = ground.program.uid === 0 ? [plain] : [];
    expect({ outcome, plain: files.filter(({ path }) => path === 'plain') }).toEqual({
      outcome: left,
      plain: expected,
    });
  });

  test('the number of returned names is limited', async () => {
    const { outcome, files = [] } = await leave('many', { most: 100_000 });
    expect({ outcome, bounded: files.length <= 10_000 }).toEqual({ outcome: left, bounded: true });
  });

  test('files that a background process keeps writing are read after its end', async () => {
    const torn: string[] = [];
    for (let call = 0; call < 8; call++) {
      const { outcome, files = [] } = await leave('living');
      expect({ outcome, files: files.length }).toEqual({ outcome: left, files: 104 });
      const count = (path: string): bigint => {
        const content = files.find((file) => file.path === path)?.content ?? '';
        return Buffer.from(content, 'latin1').readBigUInt64LE();
      };
      for (const number of [0, 1]) {
        const [first, last] = [count(`${number}-first`), count(`${number}-last`)];
        // It may have been killed between the two.
        if (first !== last && first !== last + 1n) torn.push(`${first} and ${last}`);
      }
    }
    expect(torn).toEqual([]);
  });

  test('a background process that swaps a folder for a symlink never exposes host files', async () => {
    const contents = new Set<string | null>();
    for (let call = 0; call < (isWhole ? 30 : 10); call++) {
      const { outcome, files = [] } = await leave('swapping');
      expect(outcome).toEqual(left);
      for (const { content } of files) contents.add(content);
    }
    expect([...contents].filter((content) => content !== null)).toEqual(['inside']);
  });
});
