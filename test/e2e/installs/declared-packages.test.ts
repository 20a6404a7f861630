// Threat model: T161, T163, T165

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
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
import { sharedDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { ambitWith, canUnshare } from '../support/own-mounts.ts';

const one = wheelOf('one', '1.0', { 'one/__init__.py': 'x = 1\n' }, { requires: ['two'] });
const two = wheelOf('two', '1.5', { 'two.py': 'x = 15\n' });
const newer = wheelOf('two', '2.0', { 'two.py': 'x = 20\n' });
const script = `# /// script
# dependencies = ["one"]
# ///
import json, one, two
print(json.dumps([one.x, two.x]))
`;

async function indexWith(...files: IndexFile[]) {
  const index = await packageIndex(files);
  onTestFinished(index.close);
  return { ...index, config: { installs: { dependencies: { python: { index: index.url } } } } };
}

/** A source with one skill, `sheet`, whose scripts need packages. */
async function source(files: Readonly<Record<string, string>> = {}) {
  const folder = join(await temporaryFolder(), 'acme');
  const write = async (changes: Readonly<Record<string, string>>): Promise<void> => {
    await mkdir(join(folder, 'sheet/scripts'), { recursive: true });
    for (const [path, text] of Object.entries(changes)) await writeFile(join(folder, 'sheet', path), text);
  };
  await write({
    'SKILL.md': '---\nname: sheet\ndescription: Reads sheets.\n---\n',
    'scripts/run.py': script,
    ...files,
  });
  return { folder, write };
}

/** A project with a trusted configuration, and `ambit` in it. */
async function project(config: object) {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'ambit.config.yaml'), JSON.stringify(config));
  await trust(cwd);
  const run = (...args: readonly string[]) => ambit(['--json', ...args], { cwd });
  return {
    cwd,
    run,
    async json(...args: readonly string[]) {
      const { code, stdout, stderr } = await run(...args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
      return JSON.parse(stdout);
    },
    async refusal(...args: readonly string[]) {
      const { code, stderr } = await run(...args);
      return [code, JSON.parse(stderr).error.code];
    },
    lock: () => readFile(join(cwd, 'ambit.lock'), 'utf8'),
  };
}

test('declared packages are locked, reviewed, approved and mounted, and a later lock waits for its approval', async () => {
  const index = await indexWith(one, two);
  const { folder, write } = await source();
  const { cwd, run, json, refusal, lock } = await project(index.config);
  expect((await json('skills', 'review', join(folder, 'sheet'))).dependencies).toEqual({
    declared: [{ kind: 'python', text: 'one', file: 'scripts/run.py' }],
    ...{ refused: [], guessed: [{ kind: 'python', name: 'two' }] },
  });
  const [added] = (await json('skills', 'add', folder)).skills;
  expect(added).toMatchObject({ change: 'added', packages: ['one 1.0', 'two 1.5'], packageProblem: null });
  const listed = /"name": "(\S+)",\n\s+"sha256": "[0-9a-f]{64}",\n\s+"version": "([\d.]+)"/g;
  expect([...(await lock()).matchAll(listed)].map(([, ...found]) => found)).toEqual([
    ['one', '1.0'],
    ['two', '1.5'],
  ]);
  // Without an approval it runs in WebAssembly, which has none of its packages.
  const unapproved = async (): Promise<unknown[]> => {
    const { code, stdout } = await run('run', 'acme:sheet');
    return [code, JSON.parse(stdout).outcome];
  };
  const failed = [1, { status: 'failed', stderr: expect.stringContaining("No module named 'one'") }];
  expect(await unapproved()).toMatchObject(failed);
  const review = await json('skills', 'review', 'sheet');
  expect(review).toMatchObject({ packages: ['one 1.0', 'two 1.5'], packageChanges: [] });
  const { dependencies } = await json('skills', 'approve', 'sheet', '--review', review.review);
  expect(dependencies).toBe(review.skill.dependencies);
  const ran = await json('run', 'acme:sheet');
  expect(ran.outcome.output.stdout).toBe('[1, 15]\n');
  const asModule = await json('run', 'acme:sheet', '--script', '-m scripts.run');
  expect(asModule.outcome.output.stdout).toBe('[1, 15]\n');
  expect((await json('audit', 'show', ran.executionId)).skill).toMatchObject({
    id: 'acme:sheet',
    dependencies,
  });

  // The source has not changed: only a new resolution finds the later version.
  index.files.push(newer);
  expect((await json('skills', 'update')).skills).toMatchObject([{ change: 'unchanged' }]);
  expect((await json('skills', 'deps', 'sheet')).skills).toMatchObject([
    { change: 'waiting', packages: ['one 1.0', 'two 2.0'], digest: added.digest },
  ]);
  expect((await json('run', 'acme:sheet')).outcome.output.stdout).toBe('[1, 15]\n');
  const later = await json('skills', 'review', 'sheet');
  expect(later).toMatchObject({ approved: added.digest, packageChanges: ['+ two 2.0', '- two 1.5'] });
  expect(await refusal('skills', 'approve', 'sheet', '--review', review.review)).toEqual([3, 'REVIEW_STALE']);
  await json('skills', 'approve', 'sheet', '--review', later.review);
  expect((await json('run', 'acme:sheet')).outcome.output.stdout).toBe('[1, 20]\n');

  // A version that declares other packages waits too.
  await write({ 'requirements.txt': 'two<2\n' });
  expect((await json('skills', 'update')).skills).toMatchObject([
    { change: 'waiting', packages: ['one 1.0', 'two 1.5'] },
  ]);
  await json('skills', 'approve', 'sheet');
  expect((await json('run', 'acme:sheet')).outcome.output.stdout).toBe('[1, 15]\n');

  const [folderName = ''] = await readdir(join(cwd, '.ambit/packages'));
  expect(folderName).toMatch(/^[0-9a-f]{64}$/);
  await rm(join(cwd, '.ambit/packages'), { recursive: true });
  expect(await refusal('run', 'acme:sheet')).toEqual([3, 'LOCK_MISMATCH']);
  expect(await refusal('skills', 'sync', '--frozen')).toEqual([3, 'LOCK_MISMATCH']);
  expect((await json('skills', 'sync')).skills).toMatchObject([{ id: 'acme:sheet', change: 'fetched' }]);
  expect((await json('run', 'acme:sheet')).outcome.output.stdout).toBe('[1, 15]\n');

  // A lock that was edited is not what was approved.
  const file = join(cwd, 'ambit.lock');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"version": "1.0"', '"version": "1.1"'));
  expect(await readFile(file, 'utf8')).not.toBe(text);
  expect(await unapproved()).toMatchObject(failed);
  await writeFile(file, text.replace('"version": "1.0"', '"version": "1.0 --no-binary=one"'));
  expect(await refusal('skills', 'sync')).toEqual([2, 'CONFIG_INVALID']);
  await writeFile(file, text);
  await json('skills', 'remove', 'sheet');
  expect(await readdir(join(cwd, '.ambit/packages'))).toEqual([]);
  expect((await json('audit', 'verify')).intact).toBe(true);
});

test('a missing package is named with the command that adds it', async () => {
  const index = await indexWith(wheelOf('absent-thing', '1.0', { 'absent_thing.py': 'x = 7\n' }));
  const { folder } = await source({ 'scripts/run.py': 'import absent_thing\nprint(absent_thing.x)\n' });
  const { json, run } = await project(index.config);
  await json('skills', 'add', folder);
  await json('skills', 'approve', 'sheet');
  const { stdout } = await run('run', 'acme:sheet');
  expect(JSON.parse(stdout).hint).toBe(
    'The skill\'s output says that it needs the Python package "absent-thing" (module "absent_thing"), which is not locked for it. A person can check that name, and add the package to the skill\'s locked packages.',
  );
  expect((await json('skills', 'deps', 'acme:sheet', '--add', 'absent-thing')).skills).toMatchObject([
    { change: 'waiting', packages: ['absent-thing 1.0'] },
  ]);
  await json('skills', 'approve', 'sheet');
  expect((await json('run', 'acme:sheet')).outcome.output.stdout).toBe('7\n');
});

// It also has the packages of npm. There is no index for Python.
const registry = await npmRegistry([]);
afterAll(registry.close);
const shared = sharedDaemon(async () => ({
  installs: { dependencies: { node: { registry: registry.url } } },
}));

test('packages that cannot be locked leave the skill installed, and the refusal is recorded', async () => {
  const { folder } = await source({ 'requirements.txt': 'two @ https://a.example/two.whl\n' });
  const daemon = shared();
  const cwd = await temporaryFolder();
  const run = (...args: readonly string[]) =>
    ambit(['--json', '--data-dir', daemon.dataDir, ...args], { cwd });
  const added = JSON.parse((await run('skills', 'add', folder)).stdout);
  expect(added.skills).toMatchObject([
    { id: 'acme:sheet', change: 'added', packageProblem: { code: 'DEPENDENCY_UNSUPPORTED' } },
  ]);
  const post = (body: object) => daemon.request('POST', '/installs/acme:sheet/packages', { body });
  expect(await post({})).toMatchObject({ status: 422, body: { code: 'DEPENDENCY_UNSUPPORTED' } });
  await writeFile(join(folder, 'sheet/requirements.txt'), 'two\n');
  const updated = JSON.parse((await run('skills', 'update')).stdout);
  expect(updated.skills).toMatchObject([
    { change: 'updated', packageProblem: { code: 'DEPENDENCY_NO_INDEX' } },
  ]);
  expect((await post({ add: ['three'] })).body).toMatchObject({
    code: 'DEPENDENCY_NO_INDEX',
    detail: expect.stringContaining('installs: { dependencies: { python: { index:'),
  });
  const refused = (await daemon.audit('?outcome=denied')) as { error: { code: string } }[];
  expect(refused.map(({ error }) => error.code)).toEqual(['DEPENDENCY_NO_INDEX', 'DEPENDENCY_UNSUPPORTED']);
  await run('skills', 'remove', 'acme:sheet');
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
  const folder = join(await temporaryFolder(), 'node-skills');
  await mkdir(join(folder, 'draw/scripts'), { recursive: true });
  const locked = { version: '3.0.0', resolved: `${registry.url}/core/-/core-3.0.0.tgz` };
  for (const [path, text] of Object.entries({
    'SKILL.md': '---\nname: draw\ndescription: Draws.\n---\n',
    'scripts/run.mjs': nodeScript,
    'package.json': JSON.stringify({ dependencies: { '@acme/chart': '^1.0.0', core: '3' }, scripts }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { dependencies: { core: '3' } }, 'node_modules/core': locked },
    }),
  }))
    await writeFile(join(folder, 'draw', path), text);
  const { dataDir } = shared();
  const config = join(dataDir, '../ambit.config.yaml');
  const run = (...args: readonly string[]) => ambit(['--json', '--config', config, ...args]);
  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const [added] = (await json('skills', 'add', folder)).skills;
  expect(added).toMatchObject({
    packages: ['npm:@acme/chart 1.2.0 (its install script does not run)', 'npm:core 3.0.0'],
    packageProblem: null,
  });
  const review = await json('skills', 'review', 'draw');
  expect(review.reading.dependencies).toEqual({
    declared: [
      { kind: 'npm', text: '@acme/chart@^1.0.0', file: 'package.json' },
      { kind: 'npm', text: 'core@3', file: 'package.json' },
    ],
    ...{ refused: [], guessed: [{ kind: 'npm', name: 'extra' }] },
  });
  await json('skills', 'approve', 'draw', '--review', review.review);
  const { code, stdout } = await run('run', 'draw');
  expect({ code, hint: JSON.parse(stdout).hint }).toEqual({
    code: 1,
    hint: 'The skill\'s output says that it needs the npm package "extra", which is not locked for it. A person can check that name, and add the package to the skill\'s locked packages.',
  });

  // A plain name is enough, because the skill has only JavaScript.
  expect((await json('skills', 'deps', 'draw', '--add', 'extra')).skills).toMatchObject([
    {
      change: 'waiting',
      packages: [added.packages[0], 'npm:core 3.0.0', 'npm:extra 0.1.0'],
    },
  ]);
  expect((await json('skills', 'review', 'draw')).packageChanges).toEqual(['+ npm:extra 0.1.0']);
  const { dependencies } = await json('skills', 'approve', 'draw');
  const ran = await json('run', 'draw');
  expect(JSON.parse(ran.outcome.output.stdout)).toEqual(['chart with core 3.0.0', 'extra', []]);
  expect((await json('audit', 'show', ran.executionId)).skill).toMatchObject({ dependencies });

  // The lock alone brings the same packages back.
  await rm(join(dataDir, 'packages'), { recursive: true });
  registry.asked.splice(0);
  expect((await json('skills', 'sync')).skills).toMatchObject([{ change: 'fetched' }]);
  expect(registry.asked.every((path) => path.endsWith('.tgz'))).toBe(true);
  expect(JSON.parse((await json('run', 'draw')).outcome.output.stdout)[1]).toBe('extra');
});

test('a command that is killed while it fetches packages leaves the old state', async () => {
  const index = await indexWith(one, two);
  const { folder } = await source();
  const { cwd, json } = await project(index.config);
  let isAsked = false;
  index.intercept.use = ({ url }) => {
    isAsked ||= url?.startsWith('/files/') === true;
    return isAsked;
  };
  const killed = new AbortController();
  const adding = ambit(['skills', 'add', folder], { cwd, signal: killed.signal });
  await vi.waitUntil(() => isAsked);
  killed.abort();
  expect((await adding).code).not.toBe(0);
  expect(await readdir(cwd)).not.toContain('ambit.lock');
  expect((await json('skills', 'installed')).skills).toEqual([]);

  delete index.intercept.use;
  await json('skills', 'add', folder);
  await json('skills', 'sync');
  expect((await readdir(join(cwd, '.ambit/installs'))).sort()).toEqual(['acme']);
  expect(await readdir(join(cwd, '.ambit/packages'))).toHaveLength(1);
});

test('a version takes over the approval by itself only if its packages are the approved ones', async () => {
  const index = await indexWith(one, two);
  const { folder, write } = await source();
  const { dependencies } = index.config.installs;
  const { json } = await project({ installs: { updates: 'auto', minAgeHours: 0, dependencies } });
  await json('skills', 'add', folder);
  await json('skills', 'approve', 'sheet');
  const changed = (text: string) => write({ 'SKILL.md': `---\nname: sheet\ndescription: ${text}\n---\n` });
  await changed('Reads sheets, too.');
  expect((await json('skills', 'update')).skills).toMatchObject([{ change: 'approved' }]);
  index.files.push(newer);
  await changed('Reads other sheets.');
  expect((await json('skills', 'update')).skills).toMatchObject([
    { change: 'waiting', wider: [], packages: ['one 1.0', 'two 2.0'] },
  ]);
  expect((await json('run', 'acme:sheet')).outcome.output.stdout).toBe('[1, 15]\n');
});

describe.runIf(canUnshare)('a machine', () => {
  /** Adds the skill with these mounts, and returns why its packages are not locked. */
  async function problemWith(prepare: string, ...files: IndexFile[]) {
    const index = await indexWith(...files);
    const { folder } = await source();
    const { cwd, json } = await project(index.config);
    await mkdir(join(cwd, '.ambit/installs'), { recursive: true });
    const config = join(cwd, 'ambit.config.yaml');
    const added = await ambitWith(prepare, ['--json', '--config', config, 'skills', 'add', folder], cwd);
    expect(added).toMatchObject({ code: 0, said: '' });
    expect(await readFile(join(cwd, 'ambit.lock'), 'utf8')).not.toContain('"packages":');
    await json('--config', config, 'skills', 'sync');
    const later = await json('--config', config, 'skills', 'deps', 'sheet');
    expect(later.skills).toMatchObject([{ change: 'updated', packages: ['one 1.0', expect.any(String)] }]);
    return JSON.parse(added.printed).skills[0].packageProblem;
  }

  test('without pip says which package to install, and locks as soon as it has pip', async () => {
    expect(await problemWith('mount -t tmpfs none /usr/lib/python3/dist-packages', one, two)).toEqual({
      code: 'PROGRAM_MISSING',
      message:
        'Locking Python packages needs pip, which the Python of this system lacks. On Debian or Ubuntu: apt-get install python3-pip',
    });
  });

  test('whose disk is full while packages are fetched has the old state, and locks as soon as there is room', async () => {
    const large = wheelOf('two', '1.5', { 'two.py': `x = "${randomBytes(3_000_000).toString('base64')}"` });
    expect(await problemWith('mount -t tmpfs -o size=2m none .ambit/installs', one, large)).toEqual({
      code: 'SOURCE_TOO_LARGE',
      message: 'the disk is full: there is no room for the packages',
    });
  });
});
