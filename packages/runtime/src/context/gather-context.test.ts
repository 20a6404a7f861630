// Threat model: T96, T130

import { execFileSync, spawn } from 'node:child_process';
import { chmod, link, mkdir, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ContextRequirement } from '@ambit/core/skill';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { isWhole } from '../../../../test/support/whole.ts';
import { writeFiles } from '../testing/skill-on-disk.ts';
import type { ContextLocation } from './context-location.ts';
import { gatherContext } from './gather-context.ts';

const nothing = { files: [], gitStatus: null, item: null, artifacts: [], errors: [] };
const outside = 'the path is outside the project; use a path within it';
const secret =
  'its name suggests that it contains secrets, and a prompt leaves this machine; the operator can allow it by its path';

const file = (path: string): ContextRequirement => ({ type: 'file', path });
const artifact = (path: string): ContextRequirement => ({ type: 'phase_artifact', path });

/** The result for one file: its text and note, or why it is unavailable. */
async function oneFile(
  root: string,
  path: string,
  place: Partial<ContextLocation> = {},
): Promise<object | string> {
  const { files, errors } = await gatherContext([file(path)], { root, ...place });
  return errors[0]?.message ?? files[0] ?? 'nothing';
}

async function project(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const root = join(await temporaryFolder(), 'project');
  await mkdir(root);
  await writeFiles(root, files);
  return root;
}

test('gathers files, the item and artefacts in the order of the requirements, each once', async () => {
  const root = await project({ 'b.txt': 'b\n', 'a/long.md': 'a\n', 'items/7/plan.md': '# Plan\n' });
  const requirements = [
    file('b.txt'),
    artifact('plan.md'),
    file('a/long.md'),
    { ...file('b.txt'), description: 'again' },
    { type: 'item_metadata' } as const,
  ];

  expect(await gatherContext(requirements, { root, item: { id: '7' }, itemFolder: 'items/7' })).toEqual({
    files: [
      { path: 'b.txt', text: 'b\n' },
      { path: 'a/long.md', text: 'a\n' },
    ],
    gitStatus: null,
    item: { id: '7' },
    artifacts: [{ path: 'plan.md', text: '# Plan\n' }],
    errors: [],
  });
});

test('reports what is unavailable besides the rest', async () => {
  const root = await project({ 'there.md': 'here\n' });
  expect(
    await gatherContext([file('gone.md'), artifact('plan.md'), { type: 'git_status' }, file('there.md')], {
      root,
    }),
  ).toEqual({
    ...nothing,
    files: [{ path: 'there.md', text: 'here\n' }],
    errors: [
      { source: 'file gone.md', message: 'no such file' },
      { source: 'phase_artifact plan.md', message: 'the call names no folder of artefacts' },
      { source: 'git_status', message: 'git runs only in a sandbox, which is unavailable here' },
    ],
  });
});

test('gathers the first of very many requirements and reports the others in one error', async () => {
  const root = await project({ 'there.md': 'here\n' });
  const requirements = [
    file('there.md'),
    ...Array.from({ length: 10_000 }, (_, index) => file(`gone-${index}`)),
  ];
  expect(await gatherContext(requirements, { root, limits: { requirements: 2 } })).toEqual({
    ...nothing,
    files: [{ path: 'there.md', text: 'here\n' }],
    errors: [
      { source: 'file gone-0', message: 'no such file' },
      { source: 'context', message: '10001 requirements; only the first 2 are gathered' },
    ],
  });
  expect((await gatherContext(requirements, { root })).errors).toHaveLength(200);
});

test('accepts a path of 1024 characters and refuses a longer one to the same file', async () => {
  const root = await project({ 'ab.md': 'here\n', 'b.md': 'here\n' });
  const long = (name: string): string => './'.repeat((1024 - 4) / 2) + name;
  expect(await oneFile(root, long('b.md'))).toEqual({ path: long('b.md'), text: 'here\n' });
  expect(await oneFile(root, long('ab.md'))).toBe('the path has 1025 characters; at most 1024 are allowed');
});

test('returns null for a missing item and an error for a large one', async () => {
  const wanted: ContextRequirement[] = [{ type: 'item_metadata' }];
  expect(await gatherContext(wanted, { root: '/' })).toEqual(nothing);
  expect(await gatherContext(wanted, { root: '/', item: 'x'.repeat(20), limits: { fileBytes: 22 } })).toEqual(
    {
      ...nothing,
      item: 'x'.repeat(20),
    },
  );
  expect(await gatherContext(wanted, { root: '/', item: 'x'.repeat(21), limits: { fileBytes: 22 } })).toEqual(
    {
      ...nothing,
      errors: [{ source: 'item_metadata', message: 'the item has 23 bytes; at most 22 are allowed' }],
    },
  );
});

test('refuses a path out of the project whether or not it exists, and reads a path that returns into it', async () => {
  const root = await project({ 'in.md': 'in\n', 'sub/x': '' });
  await writeFiles(join(root, '..'), { 'out.md': 'out\n', 'project-too/x.md': 'out\n' });
  for (const path of [
    '../out.md',
    '/etc/hostname',
    '../gone',
    '/',
    '..',
    'sub/../../out.md',
    '../project-too/x.md',
  ]) {
    expect([path, await oneFile(root, path)]).toEqual([path, outside]);
  }
  for (const path of ['in.md', 'sub/../in.md', './in.md', join(root, 'in.md'), '../project/in.md']) {
    expect(await oneFile(root, path)).toEqual({ path, text: 'in\n' });
  }
  expect(await oneFile(root, 'in.md\0.png')).toBe('a path cannot contain a NUL byte');
});

test('refuses a link out of the project at any position in a path and follows one within it', async () => {
  const root = await project({ 'real/in.md': 'in\n' });
  await writeFiles(join(root, '..'), { 'elsewhere/out.md': 'out\n' });
  await symlink('../elsewhere/out.md', join(root, 'end'));
  await symlink('../elsewhere', join(root, 'way'));
  await symlink('real', join(root, 'stays'));
  await symlink('round', join(root, 'round'));
  await symlink('/dev/zero', join(root, 'zero'));

  expect(await oneFile(root, 'end')).toBe(outside);
  expect(await oneFile(root, 'way/out.md')).toBe(outside);
  expect(await oneFile(root, 'way')).toBe(outside);
  expect(await oneFile(root, 'zero')).toBe(outside);
  expect(await oneFile(root, 'round')).toBe('its links form a cycle or changed while it was opened');
  expect(await oneFile(root, 'stays/in.md')).toEqual({ path: 'stays/in.md', text: 'in\n' });
});

test('reads a project through a link to it', async () => {
  const root = await project({ 'in.md': 'in\n' });
  await symlink('project', join(root, '..', 'alias'));
  const alias = join(root, '..', 'alias');
  expect(await oneFile(alias, 'in.md')).toEqual({ path: 'in.md', text: 'in\n' });
  expect(await oneFile(alias, join(alias, 'in.md'))).toEqual({ path: join(alias, 'in.md'), text: 'in\n' });
});

test('never reads outside the project while a folder on the path is swapped for a link', async () => {
  const root = await project({ 'way/x': 'in\n' });
  await writeFiles(join(root, '..'), { 'elsewhere/x': 'out\n' });
  const swapper = spawn(process.execPath, ['-e', swap, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  await new Promise((resolve) => swapper.stdout.once('data', resolve));

  const seen = new Set<string>();
  for (let round = 0; round < (isWhole ? 2000 : 400); round++)
    seen.add(JSON.stringify(await oneFile(root, 'way/x')));
  expect([...seen].filter((result) => result.includes('out\\n'))).toEqual([]);
  expect(seen).toContain(JSON.stringify({ path: 'way/x', text: 'in\n' }));
});

/** Swaps a folder and a link to the outside until it is killed. */
const swap = `
  const { renameSync, symlinkSync } = require('node:fs');
  process.chdir(process.argv[1]);
  symlinkSync('../elsewhere', 'link');
  process.stdout.write('ready');
  for (;;) {
    renameSync('way', 'folder');
    renameSync('link', 'way');
    renameSync('way', 'link');
    renameSync('folder', 'way');
  }
`;

test('refuses anything but files and folders without waiting for it', async () => {
  const root = await project({ 'in.md': 'in\n' });
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const server = createServer().listen(join(root, 'socket'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));

  const { files, errors } = await gatherContext([file('pipe'), file('socket'), file('in.md')], { root });
  expect(files).toEqual([{ path: 'in.md', text: 'in\n' }]);
  expect(errors).toEqual([
    { source: 'file pipe', message: 'it is neither a file nor a folder' },
    { source: 'file socket', message: 'it is neither a file nor a folder' },
  ]);
});

test('cuts a file at the end of a line and reports how much of it is included', async () => {
  const root = await project({
    'lines.txt': 'one\ntwo\nthree\n',
    'long.txt': 'zürich',
    'fits.txt': '12345\n789\n',
  });
  const limits = { fileBytes: 10 };
  expect(await oneFile(root, 'lines.txt', { limits })).toEqual({
    path: 'lines.txt',
    text: 'one\ntwo\n',
    note: 'truncated: the first 8 of 14 bytes',
  });
  expect(await oneFile(root, 'fits.txt', { limits })).toEqual({ path: 'fits.txt', text: '12345\n789\n' });
  expect(await oneFile(root, 'long.txt', { limits: { fileBytes: 2 } })).toEqual({
    path: 'long.txt',
    text: 'z',
    note: 'truncated: the first 1 of 7 bytes',
  });
});

test('does not read a huge file beyond the limit', async () => {
  const root = await project({ 'huge.log': 'start\n' });
  await truncate(join(root, 'huge.log'), 2 ** 40);
  expect(await oneFile(root, 'huge.log', { limits: { fileBytes: 6 } })).toEqual({
    path: 'huge.log',
    text: 'start\n',
    note: `truncated: the first 6 of ${2 ** 40} bytes`,
  });
});

test('includes text in any script, and only the size of a file that is not UTF-8', async () => {
  const root = await project({
    'image.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0),
    'latin.txt': Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
    'café.txt': 'café 漢字 🦊\n',
    'empty.txt': '',
  });
  expect(await oneFile(root, 'image.png')).toEqual({
    path: 'image.png',
    text: '',
    note: 'not shown: 5 bytes that are not UTF-8 text',
  });
  expect(await oneFile(root, 'latin.txt')).toEqual({
    path: 'latin.txt',
    text: '',
    note: 'not shown: 4 bytes that are not UTF-8 text',
  });
  expect(await oneFile(root, 'café.txt')).toEqual({ path: 'café.txt', text: 'café 漢字 🦊\n' });
  expect(await oneFile(root, 'empty.txt')).toEqual({ path: 'empty.txt', text: '' });
});

test('limits the total size in order of the requirements', async () => {
  const root = await project({ a: '12345\n', b: '1234\n6789\n', c: 'c\n', 'plan.md': 'p\n' });
  const requirements = [file('a'), file('b'), file('c'), { type: 'item_metadata' } as const];
  const context = await gatherContext(requirements, { root, item: { id: '7' }, limits: { totalBytes: 12 } });
  expect(context).toEqual({
    ...nothing,
    files: [
      { path: 'a', text: '12345\n' },
      { path: 'b', text: '1234\n', note: 'truncated: the first 5 of 10 bytes' },
      { path: 'c', text: 'c', note: 'truncated: the first 1 of 2 bytes' },
    ],
    errors: [{ source: 'item_metadata', message: 'omitted: 10 bytes, and 0 are left for the context' }],
  });
});

test('lists a folder sorted with kinds and sizes, without following links', async () => {
  const root = await project({ 'src/b.ts': '12', 'src/a.ts': '1', 'src/lib/x': '', 'src/odd\nname': '' });
  await symlink('/etc', join(root, 'src/etc'));
  execFileSync('mkfifo', [join(root, 'src/pipe')]);
  expect(await oneFile(root, 'src')).toEqual({
    path: 'src',
    text: 'a.ts (1 bytes)\nb.ts (2 bytes)\netc (link)\nlib/\nodd\\u{a}name (0 bytes)\npipe (special)\n',
  });
  expect(await oneFile(root, 'src', { limits: { entries: 2 } })).toEqual({
    path: 'src',
    text: 'a.ts (1 bytes)\nb.ts (2 bytes)\n',
    note: 'truncated: 4 more entries',
  });
});

test.runIf(isWhole)('lists a folder with too many names briefly', async () => {
  const root = await project({ 'many/x': '' });
  for (let at = 0; at < 100_001; at += 500) {
    const names = Array.from({ length: 500 }, (_, index) => join(root, 'many', `link-${at + index}`));
    await Promise.all(names.map((name) => link(join(root, 'many/x'), name).catch(() => writeFile(name, ''))));
  }
  const listing = (await oneFile(root, 'many', { limits: { entries: 3 } })) as { text: string; note: string };
  expect([listing.text.split('\n').length, listing.note]).toEqual([
    4,
    'truncated: at least 99997 more entries',
  ]);
});

test.each([
  '.env',
  '.env.local',
  'prod.env',
  '.npmrc',
  '.netrc',
  'keys/server.pem',
  'ID_RSA',
  '.ssh/config',
  '.git/config',
  'secrets.yaml',
  '.npmrc.bak',
  'AuthKey.p8',
  '.config/gh/hosts.yml',
  '.docker/config.json',
  '.ambit/key',
])('does not read %s, which may contain secrets, unless the operator names it', async (path) => {
  const root = await project({ [path]: 'k\n' });
  expect(await oneFile(root, path)).toBe(secret);
  expect(await oneFile(root, path, { allowSecretFiles: [path] })).toEqual({ path, text: 'k\n' });
  expect(await oneFile(root, path, { allowSecretFiles: [`${path}x`] })).toBe(secret);
});

test.each([
  '.env.example',
  'environment.ts',
  '.gitignore',
  '.github/ci.yml',
  'keyboard.ts',
  'src/id.ts',
  'monkey',
])('reads %s, which is not a secret', async (path) => {
  const root = await project({ [path]: 'k\n' });
  expect(await oneFile(root, path)).toEqual({ path, text: 'k\n' });
});

test('refuses a secret file by any name that leads to it', async () => {
  const root = await project({ '.env': 'TOKEN=1\n', '.git/HEAD': 'ref\n' });
  await symlink('.env', join(root, 'readme.md'));
  await symlink('.git', join(root, 'docs'));
  expect(await oneFile(root, 'readme.md')).toBe(secret);
  expect(await oneFile(root, 'docs/HEAD')).toBe(secret);
  expect(await oneFile(root, 'docs')).toBe(secret);
});

test("does not read Ambit's own files, even if the operator allows secret files", async () => {
  const root = await project({ 'data/key': 'k\n', 'data-of-ours/x': 'x\n' });
  const place = { hidden: [join(root, 'data')], allowSecretFiles: ['data'] };
  expect(await oneFile(root, 'data/key', place)).toBe('it belongs to Ambit itself');
  expect(await oneFile(root, 'data', place)).toBe('it belongs to Ambit itself');
  expect(await oneFile(root, 'data-of-ours/x', place)).toEqual({ path: 'data-of-ours/x', text: 'x\n' });
});

test('requires the folder of artefacts to be within the project', async () => {
  const root = await project({ 'items/7/plan.md': 'in\n', 'notes.md': 'n\n' });
  await writeFiles(join(root, '..'), { 'elsewhere/plan.md': 'out\n' });
  await symlink('../../elsewhere', join(root, 'items/8'));
  const plan = async (itemFolder: string, path = 'plan.md') => {
    const { artifacts, errors } = await gatherContext([artifact(path)], { root, itemFolder });
    return errors[0]?.message ?? artifacts[0]?.text;
  };
  expect(await plan('../elsewhere')).toBe(outside);
  expect(await plan(join(root, '../elsewhere'))).toBe(outside);
  expect(await plan('items/8')).toBe(outside);
  expect(await plan('items/7')).toBe('in\n');
  expect(await plan(join(root, 'items/7'))).toBe('in\n');
});

test('reports a file without permission', async () => {
  const root = await project({ 'closed.md': 'x\n' });
  await chmod(join(root, 'closed.md'), 0);
  // Root can read every file.
  const expected = process.getuid?.() === 0 ? { path: 'closed.md', text: 'x\n' } : 'permission denied';
  expect(await oneFile(root, 'closed.md')).toEqual(expected);
});

test('reports a file that vanishes while others are gathered', async () => {
  const root = await project({ 'a.md': 'a\n', 'b.md': 'b\n' });
  const gathering = gatherContext([file('a.md'), file('b.md')], { root });
  await rename(join(root, 'b.md'), join(root, 'c.md'));
  const { files, errors } = await gathering;
  expect([...files.map(({ text }) => text), ...errors.map(({ message }) => message)]).toSatisfy(
    (seen: string[]) => seen[0] === 'a\n' && ['b\n', 'no such file'].includes(seen[1] ?? ''),
  );
});

test('reports a missing project for each requirement', async () => {
  expect(await gatherContext([file('x')], { root: '/nonexistent/project' })).toEqual({
    ...nothing,
    errors: [{ source: 'file x', message: 'the project folder does not exist' }],
  });
});

test("rejects with the signal's reason if it is aborted", async () => {
  const root = await project({ x: '' });
  await expect(gatherContext([file('x')], { root }, AbortSignal.abort(new Error('stop')))).rejects.toThrow(
    'stop',
  );
});
