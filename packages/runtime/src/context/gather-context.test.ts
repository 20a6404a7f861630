import { execFileSync, spawn } from 'node:child_process';
import { chmod, link, mkdir, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ContextRequirement } from '@ambit/core/internal';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing/skill-on-disk.ts';
import type { ContextLocation } from './context-location.ts';
import { gatherContext } from './gather-context.ts';

const nothing = { files: [], gitStatus: null, item: null, artifacts: [], errors: [] };
const outside = 'it lies outside the project; name a path within it';
const secret =
  'its name says that it holds secrets, and a prompt leaves this machine; the operator can allow it by its path';

const file = (path: string): ContextRequirement => ({ type: 'file', path });
const artifact = (path: string): ContextRequirement => ({ type: 'phase_artifact', path });

/** What one file comes to: its text and note, or why it cannot be had. */
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

test('nobody asked: nothing is gathered, even of an item that is known', async () => {
  expect(await gatherContext([], { root: '/nonexistent', item: { id: '1' } })).toEqual(nothing);
});

test('files, the item and artefacts come in the order of the requirements, each once', async () => {
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

test('what cannot be had is an error beside what can', async () => {
  const root = await project({ 'there.md': 'here\n' });
  expect(
    await gatherContext([file('gone.md'), artifact('plan.md'), { type: 'git_status' }, file('there.md')], {
      root,
    }),
  ).toEqual({
    ...nothing,
    files: [{ path: 'there.md', text: 'here\n' }],
    errors: [
      { source: 'file gone.md', message: 'there is no such file' },
      { source: 'phase_artifact plan.md', message: 'no folder with artefacts was given' },
      { source: 'git_status', message: 'git is only run in a sandbox, and there is none here' },
    ],
  });
});

test('of very many wishes the first are gathered, and one error tells of the others', async () => {
  const root = await project({ 'there.md': 'here\n' });
  const wishes = [file('there.md'), ...Array.from({ length: 10_000 }, (_, index) => file(`gone-${index}`))];
  expect(await gatherContext(wishes, { root, limits: { requirements: 2 } })).toEqual({
    ...nothing,
    files: [{ path: 'there.md', text: 'here\n' }],
    errors: [
      { source: 'file gone-0', message: 'there is no such file' },
      { source: 'context', message: '10001 things are wanted; the first 2 are gathered' },
    ],
  });
  expect((await gatherContext(wishes, { root })).errors).toHaveLength(200);
});

test('a path of 1024 characters is followed, and a longer one to the same file is not', async () => {
  const root = await project({ 'ab.md': 'here\n', 'b.md': 'here\n' });
  const long = (name: string): string => './'.repeat((1024 - 4) / 2) + name;
  expect(await oneFile(root, long('b.md'))).toEqual({ path: long('b.md'), text: 'here\n' });
  expect(await oneFile(root, long('ab.md'))).toBe('its path has 1025 characters; at most 1024 are followed');
});

test('an item that is not there is null; one that is too large is an error', async () => {
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
      errors: [{ source: 'item_metadata', message: 'the item has 23 bytes; at most 22 are used' }],
    },
  );
});

test('a path that leaves the project is refused, whether or not anything is there; one that returns is read', async () => {
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
  expect(await oneFile(root, 'in.md\0.png')).toBe('a path holds no NUL byte');
});

test('a link that leaves the project is refused, at the end or on the way; one that stays is followed', async () => {
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
  expect(await oneFile(root, 'round')).toBe('its links lead nowhere, or changed while it was opened');
  expect(await oneFile(root, 'stays/in.md')).toEqual({ path: 'stays/in.md', text: 'in\n' });
});

test('a project that is itself reached through a link is read through it', async () => {
  const root = await project({ 'in.md': 'in\n' });
  await symlink('project', join(root, '..', 'alias'));
  const alias = join(root, '..', 'alias');
  expect(await oneFile(alias, 'in.md')).toEqual({ path: 'in.md', text: 'in\n' });
  expect(await oneFile(alias, join(alias, 'in.md'))).toEqual({ path: join(alias, 'in.md'), text: 'in\n' });
});

test('a folder on the way that is swapped for a link while it is read never brings what lies outside', async () => {
  const root = await project({ 'way/x': 'in\n' });
  await writeFiles(join(root, '..'), { 'elsewhere/x': 'out\n' });
  const swapper = spawn(process.execPath, ['-e', swap, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  await new Promise((resolve) => swapper.stdout.once('data', resolve));

  const seen = new Set<string>();
  for (let round = 0; round < 2000; round++) seen.add(JSON.stringify(await oneFile(root, 'way/x')));
  expect([...seen].filter((one) => one.includes('out\\n'))).toEqual([]);
  expect(seen).toContain(JSON.stringify({ path: 'way/x', text: 'in\n' }));
});

/** Puts a folder and a link to the outside in each other's place for as long as it lives. */
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

test('what is neither a file nor a folder is refused and not waited for', async () => {
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

test('a file is cut at the end of a line, and what there is of it is said', async () => {
  const root = await project({
    'lines.txt': 'one\ntwo\nthree\n',
    'long.txt': 'zürich',
    'fits.txt': '12345\n789\n',
  });
  const limits = { fileBytes: 10 };
  expect(await oneFile(root, 'lines.txt', { limits })).toEqual({
    path: 'lines.txt',
    text: 'one\ntwo\n',
    note: 'cut: these are the first 8 of 14 bytes',
  });
  expect(await oneFile(root, 'fits.txt', { limits })).toEqual({ path: 'fits.txt', text: '12345\n789\n' });
  expect(await oneFile(root, 'long.txt', { limits: { fileBytes: 2 } })).toEqual({
    path: 'long.txt',
    text: 'z',
    note: 'cut: these are the first 1 of 7 bytes',
  });
});

test('a huge file is not read beyond the cap', async () => {
  const root = await project({ 'huge.log': 'start\n' });
  await truncate(join(root, 'huge.log'), 2 ** 40);
  expect(await oneFile(root, 'huge.log', { limits: { fileBytes: 6 } })).toEqual({
    path: 'huge.log',
    text: 'start\n',
    note: `cut: these are the first 6 of ${2 ** 40} bytes`,
  });
});

test('what is no UTF-8 text is named with its size; text in any script is shown', async () => {
  const root = await project({
    'image.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0),
    'latin.txt': Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
    'café.txt': 'café 漢字 🦊\n',
    'empty.txt': '',
  });
  expect(await oneFile(root, 'image.png')).toEqual({
    path: 'image.png',
    text: '',
    note: 'not shown: 5 bytes that are no UTF-8 text',
  });
  expect(await oneFile(root, 'latin.txt')).toEqual({
    path: 'latin.txt',
    text: '',
    note: 'not shown: 4 bytes that are no UTF-8 text',
  });
  expect(await oneFile(root, 'café.txt')).toEqual({ path: 'café.txt', text: 'café 漢字 🦊\n' });
  expect(await oneFile(root, 'empty.txt')).toEqual({ path: 'empty.txt', text: '' });
});

test('everything together is bounded: what comes first has the room', async () => {
  const root = await project({ a: '12345\n', b: '1234\n6789\n', c: 'c\n', 'plan.md': 'p\n' });
  const requirements = [file('a'), file('b'), file('c'), { type: 'item_metadata' } as const];
  const context = await gatherContext(requirements, { root, item: { id: '7' }, limits: { totalBytes: 12 } });
  expect(context).toEqual({
    ...nothing,
    files: [
      { path: 'a', text: '12345\n' },
      { path: 'b', text: '1234\n', note: 'cut: these are the first 5 of 10 bytes' },
      { path: 'c', text: 'c', note: 'cut: these are the first 1 of 2 bytes' },
    ],
    errors: [{ source: 'item_metadata', message: 'left out: 10 bytes, and 0 are left for the context' }],
  });
});

test('a folder is a sorted listing with kinds and sizes; links in it are named and not followed', async () => {
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
    note: 'cut: 4 more entries',
  });
});

test('a folder with more names than are looked at is still a short listing', async () => {
  const root = await project({ 'many/x': '' });
  for (let at = 0; at < 100_001; at += 500) {
    const names = Array.from({ length: 500 }, (_, index) => join(root, 'many', `link-${at + index}`));
    await Promise.all(names.map((name) => link(join(root, 'many/x'), name).catch(() => writeFile(name, ''))));
  }
  const listing = (await oneFile(root, 'many', { limits: { entries: 3 } })) as { text: string; note: string };
  expect([listing.text.split('\n').length, listing.note]).toEqual([4, 'cut: at least 99997 more entries']);
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
])('%s is not read, because a prompt leaves the machine, unless the operator names it', async (path) => {
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
])('%s is no secret', async (path) => {
  const root = await project({ [path]: 'k\n' });
  expect(await oneFile(root, path)).toEqual({ path, text: 'k\n' });
});

test('a secret file is one by any name that leads to it', async () => {
  const root = await project({ '.env': 'TOKEN=1\n', '.git/HEAD': 'ref\n' });
  await symlink('.env', join(root, 'readme.md'));
  await symlink('.git', join(root, 'docs'));
  expect(await oneFile(root, 'readme.md')).toBe(secret);
  expect(await oneFile(root, 'docs/HEAD')).toBe(secret);
  expect(await oneFile(root, 'docs')).toBe(secret);
});

test("what is Ambit's own is not read, even where the operator allows secret files", async () => {
  const root = await project({ 'data/key': 'k\n', 'data-of-ours/x': 'x\n' });
  const place = { hidden: [join(root, 'data')], allowSecretFiles: ['data'] };
  expect(await oneFile(root, 'data/key', place)).toBe('it belongs to Ambit itself');
  expect(await oneFile(root, 'data', place)).toBe('it belongs to Ambit itself');
  expect(await oneFile(root, 'data-of-ours/x', place)).toEqual({ path: 'data-of-ours/x', text: 'x\n' });
});

test('the folder of artefacts lies within the project, whoever names it', async () => {
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

test('a file without permission is an error that says so', async () => {
  const root = await project({ 'closed.md': 'x\n' });
  await chmod(join(root, 'closed.md'), 0);
  // The superuser reads everything.
  const expected =
    process.getuid?.() === 0 ? { path: 'closed.md', text: 'x\n' } : 'it cannot be read: permission denied';
  expect(await oneFile(root, 'closed.md')).toEqual(expected);
});

test('a file that vanishes while others are gathered is an error, and no more', async () => {
  const root = await project({ 'a.md': 'a\n', 'b.md': 'b\n' });
  const gathering = gatherContext([file('a.md'), file('b.md')], { root });
  await rename(join(root, 'b.md'), join(root, 'c.md'));
  const { files, errors } = await gathering;
  expect([...files.map(({ text }) => text), ...errors.map(({ message }) => message)]).toSatisfy(
    (seen: string[]) => seen[0] === 'a\n' && ['b\n', 'there is no such file'].includes(seen[1] ?? ''),
  );
});

test('a project that is not there is an error for each thing that is wanted of it', async () => {
  expect(await gatherContext([file('x')], { root: '/nonexistent/project' })).toEqual({
    ...nothing,
    errors: [{ source: 'file x', message: 'the folder of the project does not exist' }],
  });
});

test('gathering ends with the reason of the signal, and only then rejects', async () => {
  const root = await project({ x: '' });
  await expect(gatherContext([file('x')], { root }, AbortSignal.abort(new Error('stop')))).rejects.toThrow(
    'stop',
  );
});
