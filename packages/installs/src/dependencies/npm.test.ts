// Threat model: T161, T162

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ArchiveEntry } from '../testing/archives.ts';
import {
  integrityOf,
  npmPackage,
  npmRegistry,
  type RegistryPackage,
  tarballPath,
} from '../testing/npm-registry.ts';
import { packageBuilder } from '../testing/package-builder.ts';
import { packageIndex, wheelOf } from '../testing/package-index.ts';
import type { WantedPackages } from './build-environment.ts';
import type { DependencySettings, FetchedPackage } from './dependency-options.ts';
import { addedRequirement, type Requirement } from './requirement.ts';

const build = packageBuilder();

// One registry for all tests, because each has packages of its own.
const registry = await npmRegistry([]);
afterAll(registry.close);

interface Setting {
  /** A registry instead of the shared one. */
  url?: string | null;
  hosts?: string[];
  packageLock?: unknown;
  python?: DependencySettings['python'];
}

/** Builds requirements or locked packages; returns the result, or the refusal. */
function built(
  wanted: readonly (string | Requirement)[] | Extract<WantedPackages, { locked: unknown }>,
  { url = registry.url, hosts = [], packageLock, python = null }: Setting = {},
) {
  const node = url === null ? null : { url, network: [new URL(url).origin, ...hosts] };
  if ('locked' in wanted) return build(wanted, { node, python });
  const requirements = wanted.map((each) =>
    typeof each === 'string' ? (addedRequirement(`npm:${each}`) as Requirement) : each,
  );
  const lock = typeof packageLock === 'object' ? JSON.stringify(packageLock) : (packageLock as string);
  return build({ requirements, packageLock: lock }, { node, python });
}

/** Adds a package to the registry. */
async function publish(
  name: string,
  more: Parameters<typeof npmPackage>[3] = {},
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  registry.packages.push(await npmPackage(name, '1.0.0', files, more));
}

/** A lock file of npm with these packages, by path. */
function lockOf(packages: Readonly<Record<string, object>>) {
  return { lockfileVersion: 3, packages: { '': {}, ...packages } };
}

let one: RegistryPackage;
let two: RegistryPackage;
let newer: RegistryPackage;
beforeAll(async () => {
  one = await npmPackage(
    '@acme/one',
    '1.0.0',
    { 'index.js': 'exports.x = 1\n' },
    {
      more: [{ path: 'package/bin/run', content: '#!/bin/sh\n', mode: 0o755 }],
      dependencies: { two: '^1.0.0', other: 'npm:two@2' },
    },
  );
  two = await npmPackage('two', '1.5.0', { 'index.js': 'exports.x = 2\n' });
  newer = await npmPackage('two', '2.0.0', { 'index.js': 'exports.x = 22\n' });
  registry.packages.push(one, two, newer);
});

describe('packages of npm', () => {
  test('become folders with everything that they need, and the same set can be built again', async () => {
    const first = await built(['@acme/one', 'two@^2.0.0']);
    const locked = ({ manifest: { name, version }, tarball }: RegistryPackage, path: string) => ({
      kind: 'npm',
      name,
      version,
      path,
      integrity: integrityOf(tarball),
      file: tarballPath({ name, version }),
    });
    const manifest = ({ manifest: content }: RegistryPackage) => `444 ${JSON.stringify(content)}`;
    expect(first).toEqual({
      python: null,
      packages: [
        locked(one, 'node_modules/@acme/one'),
        locked(two, 'node_modules/@acme/one/node_modules/two'),
        locked(newer, 'node_modules/other'),
        locked(newer, 'node_modules/two'),
      ],
      content: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      files: {
        'node_modules/@acme/one/package.json': manifest(one),
        'node_modules/@acme/one/index.js': '444 exports.x = 1\n',
        'node_modules/@acme/one/bin/run': '555 #!/bin/sh\n',
        'node_modules/@acme/one/node_modules/two/package.json': manifest(two),
        'node_modules/@acme/one/node_modules/two/index.js': '444 exports.x = 2\n',
        'node_modules/other/package.json': manifest(newer),
        'node_modules/other/index.js': '444 exports.x = 22\n',
        'node_modules/two/package.json': manifest(newer),
        'node_modules/two/index.js': '444 exports.x = 22\n',
      },
    });
    if ('code' in first) throw new Error(first.message);
    registry.asked.splice(0);
    expect(await built({ locked: first.packages })).toEqual(first);
    // Each tarball once, and nothing else.
    expect(registry.asked.toSorted()).toEqual([one, two, newer].map((each) => tarballPath(each.manifest)));
    const [package1] = first.packages;
    const changed = { locked: [{ ...package1, integrity: integrityOf(Buffer.from('x')) } as FetchedPackage] };
    expect(await built(changed)).toMatchObject({ code: 'SOURCE_DAMAGED' });
  });

  test('have the versions of package-lock.json of the skill, if the registry has the same tarballs', async () => {
    const entry = {
      version: '1.5.0',
      // In parts, because no file may name the registry of a machine.
      resolved: `https://registry.${'npmjs.org'}/two/-/two-1.5.0.tgz`,
      integrity: integrityOf(two.tarball),
    };
    const withEntry = (changes: object) =>
      built(['two'], { packageLock: lockOf({ 'node_modules/two': { ...entry, ...changes } }) });
    expect(await built(['two'])).toMatchObject({ packages: [{ name: 'two', version: '2.0.0' }] });
    expect(await withEntry({})).toMatchObject({
      packages: [{ name: 'two', version: '1.5.0', file: 'two/-/two-1.5.0.tgz' }],
    });
    // The tarball of another package, under this name.
    const other = { resolved: `${registry.url}/${tarballPath(newer.manifest)}` };
    expect(await withEntry({ ...other, integrity: integrityOf(newer.tarball) })).toMatchObject({
      code: 'SOURCE_DAMAGED',
    });
    expect(await withEntry({ integrity: integrityOf(newer.tarball) })).toMatchObject({
      code: 'SOURCE_DAMAGED',
    });
    expect(await withEntry({ resolved: 'https://a.example/two-1.5.0.tgz' })).toEqual({
      code: 'SOURCE_NOT_ALLOWED',
      message: expect.stringContaining('takes two 1.5.0 from https://a.example/two-1.5.0.tgz'),
    });
    expect(await withEntry({ version: '1.6.0' })).toMatchObject({ code: 'DEPENDENCY_UNRESOLVED' });
    expect(await withEntry({ resolved: 'git+ssh://git@a.example/two.git#abc' })).toMatchObject({
      code: 'DEPENDENCY_UNSUPPORTED',
    });
    expect(await built(['two'], { packageLock: '{' })).toMatchObject({ code: 'DEPENDENCY_UNSUPPORTED' });
  });

  test('have the name of another package only if a package asks for that, whatever package-lock.json of the skill says', async () => {
    const entryOf = ({ manifest: { name, version }, tarball }: RegistryPackage) => ({
      name,
      version,
      resolved: `${registry.url}/${tarballPath({ name, version })}`,
      integrity: integrityOf(tarball),
    });
    const { dependencies } = one.manifest as { dependencies?: object };
    const honest = {
      'node_modules/@acme/one': { ...entryOf(one), dependencies },
      'node_modules/two': entryOf(two),
      'node_modules/other': entryOf(newer),
    };
    expect(await built(['@acme/one'], { packageLock: lockOf(honest) })).toMatchObject({
      packages: [{ name: '@acme/one' }, { name: 'two', path: 'node_modules/other' }, { name: 'two' }],
    });
    const swapped = {
      code: 'DEPENDENCY_UNSUPPORTED',
      message: expect.stringContaining('puts the package @acme/one in the place of two'),
    };
    // npm compares only the version.
    const inPlace = { 'node_modules/two': entryOf(one) };
    expect(await built(['two@^1.0.0'], { packageLock: lockOf(inPlace) })).toEqual(swapped);
    const invented = {
      'node_modules/two': { ...entryOf(two), dependencies: { lodash: 'npm:@acme/one@1.0.0' } },
      'node_modules/lodash': entryOf(one),
    };
    expect(await built(['two@^1.0.0'], { packageLock: lockOf(invented) })).toMatchObject({
      code: 'DEPENDENCY_UNSUPPORTED',
      message: expect.stringContaining('puts the package @acme/one in the place of lodash'),
    });
  });

  test('run no script, and are named if they have one', async () => {
    const touch = { preinstall: 'exit 1', install: 'exit 1', postinstall: 'exit 1', prepare: 'exit 1' };
    await publish('scripted', { scripts: touch, dependencies: { native: '1' } }, { 'x.js': '' });
    await publish('native', {}, { 'binding.gyp': '{}' });
    await publish('tested', { scripts: { test: 'exit 1' } }, { 'x.js': '' });
    const result = await built(['scripted', 'tested']);
    if ('code' in result) throw new Error(result.message);
    expect(result.packages.map(({ name, ...each }) => [name, 'installScript' in each])).toEqual([
      ['native', true],
      ['scripted', true],
      ['tested', false],
    ]);
    expect(Object.keys(result.files)).toHaveLength(6);
  });

  test('for other platforms are left out if they are optional, and refused otherwise', async () => {
    await publish('own', { os: [process.platform], cpu: [process.arch] });
    await publish('foreign', { os: ['win32'] });
    await publish('excluded', { os: [`!${process.platform}`] });
    await publish('either', { optionalDependencies: { own: '1', foreign: '1', excluded: '1' } });
    expect(await built(['either'])).toMatchObject({ packages: [{ name: 'either' }, { name: 'own' }] });
    expect(await built(['foreign'])).toMatchObject({ code: 'DEPENDENCY_UNRESOLVED' });
  });

  test('and packages of Python can be needed by one skill', async () => {
    const index = await packageIndex([wheelOf('two', '1.5', { 'two.py': 'x = 2\n' })]);
    onTestFinished(index.close);
    const python = { url: index.url, network: [new URL(index.url).origin] };
    const first = await built(['two@1', addedRequirement('two') as Requirement], { python });
    expect(first).toMatchObject({
      python: expect.stringMatching(/^3\.\d+$/),
      packages: [
        { kind: 'python', name: 'two', version: '1.5' },
        { kind: 'npm', name: 'two', version: '1.5.0' },
      ],
    });
    if ('code' in first) throw new Error(first.message);
    expect(first.files).toMatchObject({
      'node_modules/two/index.js': '444 exports.x = 2\n',
      'python/two.py': '444 x = 2\n',
    });
    expect(await built({ locked: first.packages }, { python })).toEqual(first);
    expect(await built({ locked: first.packages })).toMatchObject({ code: 'DEPENDENCY_NO_INDEX' });
  });

  test('that bring packages of their own have them', async () => {
    const more = [{ path: 'package/node_modules/inner/index.js', content: 'x' }];
    await publish('bundling', { more, bundleDependencies: ['inner'], dependencies: { inner: '1' } });
    const result = await built(['bundling']);
    expect(result).toMatchObject({
      packages: [{ name: 'bundling' }],
      files: { 'node_modules/bundling/node_modules/inner/index.js': '444 x' },
    });
  });
});

describe('a package of npm is refused', () => {
  test('whose tarball is not what the registry declares', async () => {
    registry.packages.push({
      ...(await npmPackage('swapped', '1.0.0', {})),
      integrity: integrityOf(Buffer.from('x')),
    });
    expect(await built(['swapped'])).toEqual({
      code: 'SOURCE_DAMAGED',
      message: expect.stringContaining('swapped-1.0.0.tgz has the hash sha512-'),
    });
  });

  test.each([
    ['climbs', 'a path that leads out', { path: 'package/../../evil.js', content: 'x' }],
    ['absolute', 'an absolute path', { path: '/tmp/evil.js', content: 'x' }],
    ['linked', 'a symlink', { path: 'package/evil.js', target: '/etc/passwd' }],
    ['hard', 'a hard link', { path: 'package/evil.js', target: 'package.json', type: 'link' as const }],
    ['control', 'a name with a control character', { path: 'package/e\u001b.js', content: 'x' }],
    ['device', 'a device', { path: 'package/evil', type: 'character-device' as const }],
  ])('%s: its tarball has %s', async (name, _, entry) => {
    await publish(name, { more: [entry] });
    expect(await built([name])).toMatchObject({ code: 'SOURCE_UNSAFE_PATH' });
  });

  test('whose tarball is cut short, or has a file where it has a folder', async () => {
    const cut = await npmPackage('cut', '1.0.0', { 'x.js': 'x'.repeat(5000) });
    const more = [{ path: 'package/package.json/evil.js', content: 'x' }];
    const reversed = [
      { path: 'package/a/b.js', content: 'x' },
      { path: 'package/a', content: 'x' },
    ];
    registry.packages.push({ ...cut, tarball: cut.tarball.subarray(0, 100) });
    await publish('both', { more });
    await publish('reversed', { more: reversed });
    expect(await built(['cut'])).toMatchObject({ code: 'SOURCE_DAMAGED' });
    expect(await built(['both'])).toMatchObject({ code: 'SOURCE_DAMAGED' });
    expect(await built(['reversed'])).toMatchObject({ code: 'SOURCE_DAMAGED' });
  });

  test('that has too many folders or files beside its own folder, or too deep a place', async () => {
    const folder = (at: number) => ({ path: `package/${at}/`, type: 'directory' as const });
    const beside = (at: number) => ({ path: `beside-${at}` });
    const many = (entry: (at: number) => ArchiveEntry, length: number) => ({
      more: Array.from({ length }, (_, at) => entry(at)),
    });
    await publish('folders', many(folder, 50_000));
    await publish('beside', many(beside, 50_000));
    await publish('some-folders', many(folder, 100));
    expect(await built(['folders'])).toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect(await built(['beside'])).toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect(await built(['some-folders'])).toMatchObject({ packages: [{ name: 'some-folders' }] });
    const locked: FetchedPackage = {
      kind: 'npm',
      name: 'two',
      version: '1.5.0',
      file: tarballPath(two.manifest),
      path: Array(400).fill('node_modules/two').join('/'),
      integrity: integrityOf(two.tarball),
    };
    expect(await built({ locked: [locked] })).toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect(await built({ locked: [{ ...locked, path: 'node_modules/two' }] })).toMatchObject({
      packages: [{ name: 'two' }],
    });
  });

  test.each([
    ['repository', 'git+https://a.example/x.git'],
    ['shorthand', 'acme/x'],
    ['folder', 'file:../x'],
  ])('%s: it needs %s', async (name, range) => {
    await publish(name, { dependencies: { x: range } });
    expect(await built([name])).toMatchObject({ code: 'DEPENDENCY_UNSUPPORTED' });
  });

  test('that needs a URL, on any host', async () => {
    const here = `${registry.url}/${tarballPath(two.manifest)}`;
    await publish('needs-here', { dependencies: { two: here } });
    await publish('needs-there', { dependencies: { two: 'http://127.0.0.2:9/x.tgz' } });
    expect(await built(['needs-here'])).toMatchObject({ code: 'DEPENDENCY_UNSUPPORTED' });
    expect(await built(['needs-there'])).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
  });

  test('whose tarball is on a host that is not configured', async () => {
    const files = await npmRegistry([]);
    onTestFinished(files.close);
    const away = await npmPackage('away', '1.0.0', { 'x.js': 'x' });
    const url = `${files.url}/${tarballPath(away.manifest)}`;
    files.packages.push(away);
    registry.packages.push({ ...away, url });
    const { origin } = new URL(url);
    expect(await built(['away'])).toEqual({
      code: 'SOURCE_NOT_ALLOWED',
      message: expect.stringContaining(`installs: { dependencies: { node: { hosts: ["${origin}"] } } }`),
    });
    expect(files.asked).toEqual([]);
    expect(await built(['away'], { hosts: [origin] })).toMatchObject({
      packages: [{ name: 'away', file: url }],
    });
  });

  test('whose tarball redirects to another host', async () => {
    await publish('moved');
    registry.intercept.use = ({ url }, response) => {
      if (url?.endsWith('/moved-1.0.0.tgz') !== true) return false;
      response.writeHead(302, { location: 'http://127.0.0.2:9/x.tgz' }).end();
      return true;
    };
    onTestFinished(() => void delete registry.intercept.use);
    expect(await built(['moved'])).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
  });

  test('that the registry does not have, or not in that version', async () => {
    expect(await built(['absent'])).toMatchObject({ code: 'DEPENDENCY_UNRESOLVED' });
    expect(await built(['two@^9.0.0'])).toEqual({
      code: 'DEPENDENCY_UNRESOLVED',
      message: expect.stringContaining('two@^9.0.0'),
    });
  });

  test('that is needed in two ranges', async () => {
    expect(await built(['two@^1.0.0', 'two'])).toMatchObject({ packages: [{ version: '1.5.0' }] });
    expect(await built(['two@^1.0.0', 'two@^2.0.0'])).toMatchObject({ code: 'DEPENDENCY_UNRESOLVED' });
  });

  test('without a registry, with the setting to add, and without an answer of the registry', async () => {
    expect(await built(['two'], { url: null })).toEqual({
      code: 'DEPENDENCY_NO_INDEX',
      message: expect.stringContaining('installs: { dependencies: { node: { registry: "https://HOST" } } }'),
    });
    expect(await built(['two'], { url: 'http://127.0.0.1:9' })).toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  });
});
