import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceAnswer } from '@ambit/api';
import { executeAnswer } from '@ambit/server/wire';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { someResult } from '../../../server/src/testing/some-result.ts';
import { type FakeClient, refused, runAmbit } from '../testing/run-ambit.ts';

const time = '2026-03-01T00:00:00.000Z';
const { files, links, folders, ...summary }: WorkspaceAnswer = {
  id: 'w1',
  label: 'notes',
  quotaBytes: 100,
  usedBytes: 3,
  fileCount: 1,
  createdAt: time,
  expiresAt: time,
  files: [{ path: 'a/b.txt', bytes: 3, sha256: 'f', modified: time }],
  links: [],
  folders: [],
};

/** A daemon's workspaces that store the requests they get. */
function asked(): { calls: unknown[]; client: FakeClient } {
  const calls: unknown[] = [];
  const workspaces: FakeClient['workspaces'] = {
    create: async (wishes) => {
      calls.push(['create', wishes]);
      return { ...summary, files: [], links, folders };
    },
    list: async () => [summary],
    get: async (id) => {
      if (id !== 'w1') throw refused('WORKSPACE_NOT_FOUND', `this key has no workspace "${id}"`);
      return { ...summary, files, links, folders };
    },
    put: async (id, path, content) => {
      const text = await new Blob([content as Blob]).text();
      calls.push(['put', id, path, text]);
      return { path, bytes: text.length, sha256: 'f', modified: time };
    },
    read: async () => Buffer.from('one'),
  };
  return { calls, client: { workspaces } };
}

test('create prints the id, or the workspace as JSON', async () => {
  const { calls, client } = asked();
  const line = 'workspace create --quota 100 --expires 7d --label notes';
  expect(await runAmbit(line, { client })).toEqual({
    exitCode: 0,
    stdout: 'w1\n',
    stderr: '',
  });
  expect(calls).toEqual([['create', { quotaBytes: 100, expiresInSeconds: 604_800, label: 'notes' }]]);
  const { stdout } = await runAmbit('workspace create --json', { client });
  expect([JSON.parse(stdout), calls[1]]).toEqual([{ ...summary, files: [], links, folders }, ['create', {}]]);
});

test('list shows workspaces or the files of one', async () => {
  const around = { client: asked().client };
  expect((await runAmbit('workspace list', around)).stdout).toMatch(
    /^w1 +notes +1 file +3 of 100 bytes +expires 2026-03-01T00:00:00.000Z\n$/,
  );
  expect((await runAmbit('workspace list w1', around)).stdout).toMatch(
    /^a\/b.txt +3 bytes +2026-03-01T00:00:00.000Z\n$/,
  );
  expect(JSON.parse((await runAmbit('workspace list --json', around)).stdout)).toEqual({
    workspaces: [summary],
  });
  expect(await runAmbit('workspace list w2', around)).toEqual({
    exitCode: 3,
    stdout: '',
    stderr:
      'ambit: WORKSPACE_NOT_FOUND: this key has no workspace "w2"\nTo list your workspaces, run: ambit workspace list\n',
  });
});

test('put copies a file under its own name or another, and refuses an invalid path', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'in.txt'), 'given');
  const { calls, client } = asked();
  const around = { cwd, client };
  await runAmbit('workspace put w1 in.txt', around);
  await runAmbit('workspace put w1 in.txt a/b', around);
  expect(calls).toEqual([
    ['put', 'w1', 'in.txt', 'given'],
    ['put', 'w1', 'a/b', 'given'],
  ]);
  expect((await runAmbit('workspace put w1 in.txt ../a', around)).stderr).toMatch(
    /^ambit: USAGE_INVALID: "\.\.\/a" is not a valid workspace path/,
  );
  expect((await runAmbit('workspace put w1 none', around)).stderr).toMatch(
    /^ambit: USAGE_INVALID: cannot read none/,
  );
  expect(calls).toHaveLength(2);
});

test('get replaces files and saves hidden ones only with --overwrite and --hidden', async () => {
  const cwd = await temporaryFolder();
  const around = { cwd, client: asked().client };
  const get = (words: string) => runAmbit(`workspace get w1 ${words}`, around);
  expect((await get('--save out')).exitCode).toBe(0);
  expect(await get('--save out --hidden')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('refused to save 1 file (a/b.txt): they exist'),
  });
  expect(await get('--save out --overwrite')).toMatchObject({
    exitCode: 0,
    stderr: `Replacing 1 file in ${join(cwd, 'out')}:\n  a/b.txt\nSaved 1 file in ${join(cwd, 'out')}.\n`,
  });
  expect(await get('.envrc --save out --overwrite')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('add --hidden'),
  });
  expect((await get('.envrc --save out --hidden')).exitCode).toBe(0);
  expect(await readFile(join(cwd, 'out/.envrc'), 'utf8')).toBe('one');
});

test('run --workspace runs in that workspace, and reports an unchanged one', async () => {
  const calls: unknown[] = [];
  const client: FakeClient = {
    async *stream(skill, _input, options = {}) {
      calls.push([skill, options.workspace]);
      const output = { exitCode: 0, stdout: 'done\n', stderr: '' };
      const workspace = { id: 'w1', stored: false as const, why: 'it would have 2 bytes' };
      const answer = executeAnswer(someResult({ status: 'succeeded', output }, { files: [], workspace }));
      yield { kind: 'result', answer };
    },
  };
  const ran = await runAmbit('run keeper --workspace w1', { client });
  expect(ran).toEqual({
    exitCode: 0,
    stdout: 'done\n',
    stderr: 'The workspace w1 is unchanged: it would have 2 bytes.\n',
  });
  expect(calls).toEqual([['keeper', 'w1']]);
});
