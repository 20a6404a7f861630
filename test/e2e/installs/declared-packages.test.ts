// Threat model: T161, T163, T165

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  npmPackage,
  npmRegistry,
  type RegistryPackage,
} from '../../../packages/installs/src/testing/npm-registry.ts';
import {
  type IndexFile,
  packageIndex,
  wheelOf,
} from '../../../packages/installs/src/testing/package-index.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';
import { installsOf } from '../support/installs.ts';
import { ambitWith, canUnshare } from '../support/own-mounts.ts';
import { project } from '../support/project.ts';

// Programs that fetch packages run as another user, and packages are read by another user.
const usualUmask = process.umask(0o077);
afterAll(() => void process.umask(usualUmask));

const one = wheelOf('one', '1.0', { 'one/__init__.py': 'x = 1\n' }, { requires: ['two'] });
const two = wheelOf('two', '1.5', { 'two.py': 'x = 15\n' });
const newer = wheelOf('two', '2.0', { 'two.py': 'x = 20\n' });
const newest = wheelOf('two', '3.0', { 'two.py': 'x = 30\n' });
const script = `# /// script
# dependencies = ["one"]
# ///
import json, one, two
print(json.dumps([one.x, two.x]))
`;

const index = await packageIndex([]);
const registry = await npmRegistry([]);
afterAll(() => {
  index.close();
  registry.close();
});
/** Lets the index have these files only. */
function indexHas(...files: IndexFile[]): void {
  index.files.splice(0, index.files.length, ...files);
}
beforeEach(() => indexHas(one, two));

const config = {
  installs: {
    dependencies: { python: { index: index.url }, node: { registry: registry.url } },
    updates: 'auto',
    minAgeHours: 0,
  },
};
const shared = sharedDaemon(async () => config);
const { post, review, approve, printed } = installsOf(shared);

/** A source with one skill, `sheet`, whose scripts need packages. Its namespace is the name of the folder. */
async function source(owner: string, files: Readonly<Record<string, string>> = {}) {
  const folder = join(await temporaryFolder(), owner);
  const write = (changes: Readonly<Record<string, string>>) => writeFiles(join(folder, 'sheet'), changes);
  const described = (text: string) => write({ 'SKILL.md': `---\nname: sheet\ndescription: ${text}\n---\n` });
  await described('Reads sheets.');
  await write({ 'scripts/run.py': script, ...files });
  return { folder, write, described };
}

test('declared packages are locked, reviewed, approved and mounted, and a later lock waits for its approval', async () => {
  const { folder, write, described } = await source('acme');
  const { dataDir } = shared();
  const reviewed = await ambit(['--json', 'skills', 'review', join(folder, 'sheet'), '--data-dir', dataDir]);
  expect(JSON.parse(reviewed.stdout).dependencies).toEqual({
    declared: [{ kind: 'python', text: 'one', file: 'scripts/run.py' }],
    refused: [],
    guessed: [{ kind: 'python', name: 'two' }],
  });
  const [added] = (await post('', { source: folder })).skills;
  expect(added).toMatchObject({ change: 'added', packages: ['one 1.0', 'two 1.5'], packageProblem: null });
  const lockFile = join(dirname(dataDir), 'ambit.lock');
  const listed = /"name": "(\S+)",\n\s+"sha256": "[0-9a-f]{64}",\n\s+"version": "([\d.]+)"/g;
  expect([...(await readFile(lockFile, 'utf8')).matchAll(listed)].map(([, ...found]) => found)).toEqual([
    ['one', '1.0'],
    ['two', '1.5'],
  ]);
  // Without an approval it runs in WebAssembly, which has none of its packages.
  const failed = { status: 'failed', stderr: expect.stringContaining("No module named 'one'") };
  expect(await printed('acme:sheet')).toMatchObject(failed);
  const first = await review('acme:sheet');
  expect(first).toMatchObject({ packages: ['one 1.0', 'two 1.5'], packageChanges: [] });
  const { dependencies } = await approve('acme:sheet', first);
  expect(dependencies).toBe(first.skill.dependencies);
  const { body: ran } = await shared().execute('acme:sheet', {});
  expect(ran.outcome.output.stdout).toBe('[1, 15]\n');
  expect(await printed('acme:sheet', { script: '-m scripts.run' })).toBe('[1, 15]\n');
  expect((await shared().request('GET', `/audit/${ran.executionId}`)).body.skill).toMatchObject({
    id: 'acme:sheet',
    dependencies,
  });

  // A version with the approved packages takes over the approval, as `installs.updates` says.
  await described('Reads sheets, too.');
  expect((await post('/update')).skills).toMatchObject([{ change: 'approved' }]);
  // Without a change of the source, only a new resolution finds the later version, which waits.
  indexHas(one, two, newer);
  expect((await post('/update')).skills).toMatchObject([{ change: 'unchanged' }]);
  expect((await post('/acme:sheet/packages')).skills).toMatchObject([
    { change: 'waiting', packages: ['one 1.0', 'two 2.0'] },
  ]);
  expect(await printed('acme:sheet')).toBe('[1, 15]\n');
  const later = await review('acme:sheet');
  expect(later).toMatchObject({ packageChanges: ['+ two 2.0', '- two 1.5'] });
  expect((await approve('acme:sheet', { ...later, review: first.review })).code).toBe('REVIEW_STALE');
  await approve('acme:sheet', later);
  expect(await printed('acme:sheet')).toBe('[1, 20]\n');

  // A version with the same declarations waits too if the index resolves them to another package.
  indexHas(one, two, newer, newest);
  await described('Reads other sheets.');
  expect((await post('/update')).skills).toMatchObject([
    { change: 'waiting', wider: [], packages: ['one 1.0', 'two 3.0'] },
  ]);
  expect(await printed('acme:sheet')).toBe('[1, 20]\n');

  // So does a version that declares other packages.
  await write({ 'requirements.txt': 'two<2\n' });
  expect((await post('/update')).skills).toMatchObject([
    { change: 'waiting', wider: [], packages: ['one 1.0', 'two 1.5'] },
  ]);
  await approve('acme:sheet');
  expect(await printed('acme:sheet')).toBe('[1, 15]\n');

  const [folderName = ''] = await readdir(join(dataDir, 'packages'));
  expect(folderName).toMatch(/^[0-9a-f]{64}$/);
  await rm(join(dataDir, 'packages'), { recursive: true });
  expect(await printed('acme:sheet')).toBe('LOCK_MISMATCH');
  expect((await post('/sync', { frozen: true })).code).toBe('LOCK_MISMATCH');
  expect((await post('/sync')).skills).toMatchObject([{ id: 'acme:sheet', change: 'fetched' }]);
  expect(await printed('acme:sheet')).toBe('[1, 15]\n');

  // A lock that was edited is not what was approved.
  const reload = () => ambit(['config', 'reload', '--data-dir', dataDir]);
  const text = await readFile(lockFile, 'utf8');
  await writeFile(lockFile, text.replace('"version": "1.0"', '"version": "1.1"'));
  expect(await readFile(lockFile, 'utf8')).not.toBe(text);
  await reload();
  expect(await printed('acme:sheet')).toMatchObject(failed);
  await writeFile(lockFile, text.replace('"version": "1.0"', '"version": "1.0 --no-binary=one"'));
  expect((await post('/sync')).code).toBe('LOCK_INVALID');
  await writeFile(lockFile, text);
  await reload();
  await post('/remove', { skills: ['acme:sheet'] });
  expect(await readdir(join(dataDir, 'packages'))).toEqual([]);
  expect((await shared().request('GET', '/audit/verify')).body.intact).toBe(true);
});

test('a missing package is named with what adds it, which then works', async () => {
  indexHas(wheelOf('absent-thing', '1.0', { 'absent_thing.py': 'x = 7\n' }));
  const { folder } = await source('hints', {
    'scripts/run.py': 'import absent_thing\nprint(absent_thing.x)\n',
  });
  await post('', { source: folder });
  await approve('hints:sheet');
  expect((await shared().execute('hints:sheet', {})).body.hint).toBe(
    'The skill\'s output says that it needs the Python package "absent-thing" (module "absent_thing"), which is not locked for it. A person can check that name, and add the package to the skill\'s locked packages.',
  );
  const deps = ['skills', 'deps', 'hints:sheet', '--add', 'absent-thing'];
  const { stdout } = await ambit(['--json', '--data-dir', shared().dataDir, ...deps]);
  expect(JSON.parse(stdout).skills).toMatchObject([{ change: 'waiting', packages: ['absent-thing 1.0'] }]);
  await approve('hints:sheet');
  expect(await printed('hints:sheet')).toBe('7\n');
  await post('/remove', { skills: ['hints:sheet'] });
});

test('packages that cannot be locked leave the skill installed, and the refusal is recorded', async () => {
  const { folder, write } = await source('acme', { 'requirements.txt': 'two @ https://a.example/two.whl\n' });
  // It has no index for Python.
  const daemon = await startDaemon({ installs: { dependencies: { node: { registry: registry.url } } } });
  const { post } = installsOf(() => daemon);
  const added = await post('', { source: folder });
  expect(added.skills).toMatchObject([
    { id: 'acme:sheet', change: 'added', packageProblem: { code: 'DEPENDENCY_UNSUPPORTED' } },
  ]);
  expect(await post('/acme:sheet/packages')).toMatchObject({ status: 422, code: 'DEPENDENCY_UNSUPPORTED' });
  await write({ 'requirements.txt': 'two\n' });
  expect((await post('/update')).skills).toMatchObject([
    { change: 'updated', packageProblem: { code: 'DEPENDENCY_NO_INDEX' } },
  ]);
  expect(await post('/acme:sheet/packages', { add: ['three'] })).toMatchObject({
    code: 'DEPENDENCY_NO_INDEX',
    detail: expect.stringContaining('installs: { dependencies: { python: { index:'),
  });
  const refused = (await daemon.audit('?outcome=denied')) as { error: { code: string } }[];
  expect(refused.map(({ error }) => error.code)).toEqual(['DEPENDENCY_NO_INDEX', 'DEPENDENCY_UNSUPPORTED']);
});

const nodeScript = `import { readdirSync } from 'node:fs';
import chart from '@acme/chart';
import extra from 'extra';
console.log(JSON.stringify([chart, extra, readdirSync('/tmp')]));
`;

test('a Node skill runs with its locked packages after approval, and no install script has run', async () => {
  const scripts = { preinstall: 'touch /tmp/ran', install: 'touch /tmp/ran', postinstall: 'touch /tmp/ran' };
  const chart = await npmPackage(
    '@acme/chart',
    '1.2.0',
    { 'index.js': 'module.exports = "chart with " + require("core");\n' },
    { dependencies: { core: '^3.0.0' }, scripts },
  );
  const core = (version: string): Promise<RegistryPackage> =>
    npmPackage('core', version, { 'index.js': `module.exports = "core ${version}";\n` });
  registry.packages.push(chart, await core('3.0.0'), await core('3.1.0'));
  registry.packages.push(await npmPackage('extra', '0.1.0', { 'index.js': 'module.exports = "extra";\n' }));
  const locked = { version: '3.0.0', resolved: `${registry.url}/core/-/core-3.0.0.tgz` };
  const root = await temporaryFolder({
    'node-skills/draw/SKILL.md': '---\nname: draw\ndescription: Draws.\n---\n',
    'node-skills/draw/scripts/run.mjs': nodeScript,
    'node-skills/draw/package.json': JSON.stringify({
      dependencies: { '@acme/chart': '^1.0.0', core: '3' },
      scripts,
    }),
    'node-skills/draw/package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { dependencies: { core: '3' } }, 'node_modules/core': locked },
    }),
  });
  const [added] = (await post('', { source: join(root, 'node-skills') })).skills;
  const id = added.id;
  expect(added).toMatchObject({
    packages: ['npm:@acme/chart 1.2.0 (its install script does not run)', 'npm:core 3.0.0'],
    packageProblem: null,
  });
  const reviewed = await review(id);
  expect(reviewed.reading.dependencies).toEqual({
    declared: [
      { kind: 'npm', text: '@acme/chart@^1.0.0', file: 'package.json' },
      { kind: 'npm', text: 'core@3', file: 'package.json' },
    ],
    refused: [],
    guessed: [{ kind: 'npm', name: 'extra' }],
  });
  await approve(id, reviewed);
  expect((await shared().execute(id, {})).body).toMatchObject({
    outcome: { status: 'failed' },
    hint: 'The skill\'s output says that it needs the npm package "extra", which is not locked for it. A person can check that name, and add the package to the skill\'s locked packages.',
  });

  // A plain name is enough, because the skill has only JavaScript.
  expect((await post(`/${id}/packages`, { add: ['extra'] })).skills).toMatchObject([
    {
      change: 'waiting',
      packages: [added.packages[0], 'npm:core 3.0.0', 'npm:extra 0.1.0'],
    },
  ]);
  expect((await review(id)).packageChanges).toEqual(['+ npm:extra 0.1.0']);
  const { dependencies } = await approve(id);
  const { body: ran } = await shared().execute(id, {});
  expect(JSON.parse(ran.outcome.output.stdout)).toEqual(['chart with core 3.0.0', 'extra', []]);
  expect((await shared().request('GET', `/audit/${ran.executionId}`)).body.skill).toMatchObject({
    dependencies,
  });

  // The lock alone brings the same packages back.
  await rm(join(shared().dataDir, 'packages'), { recursive: true });
  registry.asked.splice(0);
  expect((await post('/sync')).skills).toMatchObject([{ change: 'fetched' }]);
  expect(registry.asked.every((path) => path.endsWith('.tgz'))).toBe(true);
  expect(JSON.parse(await printed(id))[1]).toBe('extra');
  await post('/remove', { skills: [id] });
});

test('a command that is killed while it fetches packages leaves the old state', async () => {
  const { folder } = await source('acme');
  const { cwd, configArgs, json } = await project(config);
  let isAsked = false;
  index.intercept.use = ({ url }) => {
    isAsked ||= url?.startsWith('/files/') === true;
    return isAsked;
  };
  const killed = new AbortController();
  const adding = ambit([...configArgs, '--json', 'skills', 'add', folder], { cwd, signal: killed.signal });
  await vi.waitUntil(() => isAsked);
  killed.abort();
  expect((await adding).code).not.toBe(0);
  delete index.intercept.use;
  expect(await readdir(cwd)).not.toContain('ambit.lock');
  expect((await json('skills', 'installed')).skills).toEqual([]);

  await json('skills', 'add', folder);
  await json('skills', 'sync');
  expect((await readdir(join(cwd, '.ambit/installs'))).sort()).toEqual(['acme']);
  expect(await readdir(join(cwd, '.ambit/packages'))).toHaveLength(1);
});

describe.runIf(canUnshare)('a machine', () => {
  /** Adds the skill with these mounts, and returns why its packages are not locked. */
  async function problemWith(prepare: string) {
    const { folder } = await source('acme');
    const { cwd, configArgs, json } = await project(config);
    await mkdir(join(cwd, '.ambit/installs'), { recursive: true });
    const added = await ambitWith(prepare, [...configArgs, '--json', 'skills', 'add', folder], cwd);
    expect(added).toMatchObject({ code: 0, said: '' });
    expect(await readFile(join(cwd, 'ambit.lock'), 'utf8')).not.toContain('"packages":');
    await json('skills', 'sync');
    const later = await json('skills', 'deps', 'sheet');
    expect(later.skills).toMatchObject([{ change: 'updated', packages: ['one 1.0', 'two 1.5'] }]);
    return JSON.parse(added.printed).skills[0].packageProblem;
  }

  test('without pip says which package to install, and locks as soon as it has pip', async () => {
    expect(await problemWith('mount -t tmpfs none /usr/lib/python3/dist-packages')).toEqual({
      code: 'PROGRAM_MISSING',
      message:
        'Locking Python packages needs pip, which the Python of this system lacks. On Debian or Ubuntu: apt-get install python3-pip',
    });
  });

  test('whose disk is full while packages are fetched has the old state, and locks as soon as there is room', async () => {
    const text = randomBytes(3_000_000).toString('base64');
    indexHas(one, wheelOf('two', '1.5', { 'two.py': `x = "${text}"` }));
    expect(await problemWith('mount -t tmpfs -o size=2m none .ambit/installs')).toEqual({
      code: 'SOURCE_TOO_LARGE',
      message: 'the disk is full: there is no room for the packages',
    });
  });
});
