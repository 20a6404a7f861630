// Threat model: T159, T160

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { tarOf, zipOf } from '../testing/archives.ts';
import { packageBuilder } from '../testing/package-builder.ts';
import { type IndexFile, packageIndex, wheelOf } from '../testing/package-index.ts';
import type { DependencySettings, FetchedPackage } from './dependency-options.ts';
import { addedRequirement, type Requirement } from './requirement.ts';

const build = packageBuilder();

async function indexWith(...files: IndexFile[]) {
  const index = await packageIndex(files);
  onTestFinished(index.close);
  return index;
}

/** Builds requirements or locked packages; returns the result, or the refusal. */
function built(
  wanted: readonly string[] | { locked: readonly FetchedPackage[] },
  { url }: { url: string },
  settings: Partial<DependencySettings> = {},
) {
  const packages =
    'locked' in wanted ? wanted : { requirements: wanted.map(addedRequirement) as Requirement[] };
  return build(packages, { python: { url, network: [new URL(url).origin] }, ...settings });
}

const one = wheelOf('one', '1.0', { 'one/__init__.py': 'x = 1\n' }, { requires: ['two>=1'] });
const two = wheelOf('two', '1.5', { 'two.py': 'x = 2\n' });
const newer = wheelOf('two', '2.0', { 'two.py': 'x = 22\n' });

test('requirements become wheels with everything that they need, and the same set can be built again', async () => {
  const index = await indexWith(one, two, newer);
  const first = await built(['one', 'two<2'], index);
  expect(first).toMatchObject({
    python: expect.stringMatching(/^3\.\d+$/),
    packages: [
      { kind: 'python', name: 'one', version: '1.0', file: 'one-1.0-py3-none-any.whl' },
      { kind: 'python', name: 'two', version: '1.5', file: 'two-1.5-py3-none-any.whl' },
    ],
    files: { 'python/one/__init__.py': '444 x = 1\n', 'python/two.py': '444 x = 2\n' },
  });
  if ('code' in first) throw new Error(first.message);
  expect(await built({ locked: first.packages }, index)).toEqual(first);
  const [, other] = first.packages;
  const changed = { locked: [{ ...other, sha256: 'a'.repeat(64) } as FetchedPackage] };
  expect(await built(changed, index)).toMatchObject({ code: 'SOURCE_DAMAGED' });
});

test('a package of the host is left out, with what only it needs', async () => {
  const index = await indexWith(one, two);
  expect(await built(['one'], index, { provided: ['one'] })).toMatchObject({
    python: null,
    packages: [],
    files: {},
  });
  expect(await built(['one'], index, { provided: ['Two'] })).toMatchObject({ packages: [{ name: 'one' }] });
});

/** Builds a wheel without any package of an index (PEP 517). */
const backend = `import os, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(folder + '/made-1.0-py3-none-any.whl', 'w') as wheel:
        wheel.writestr('made.py', 'x = 3\\n')
        wheel.writestr('made-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: made\\nVersion: 1.0\\n')
        wheel.writestr('made-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr('made-1.0.dist-info/RECORD', '')
`;

async function sourceOf(more = ''): Promise<IndexFile> {
  const files = [
    { path: 'made-1.0/backend.py', content: `${backend}${more}    return 'made-1.0-py3-none-any.whl'\n` },
    {
      path: 'made-1.0/pyproject.toml',
      content: '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    },
    { path: 'made-1.0/PKG-INFO', content: 'Metadata-Version: 2.1\nName: made\nVersion: 1.0\n' },
  ];
  return { name: 'made-1.0.tar.gz', content: gzipSync(await tarOf(files)) };
}

test('a package without a wheel is not even fetched, unless it may be built', async () => {
  const index = await indexWith(await sourceOf());
  expect(await built(['made'], index)).toEqual({
    code: 'DEPENDENCY_NEEDS_BUILD',
    message: expect.stringContaining('installs: { dependencies: { allowBuild: [made] } }'),
  });
  expect(index.sent).toEqual([]);
  const first = await built(['made'], index, { allowBuild: ['Made'] });
  expect(first).toMatchObject({
    packages: [{ name: 'made', version: '1.0', file: 'made-1.0.tar.gz' }],
    files: { 'python/made.py': '444 x = 3\n' },
  });
  if ('code' in first) throw new Error(first.message);
  expect(await built({ locked: first.packages }, index, { allowBuild: ['made'] })).toEqual(first);
  expect(await built({ locked: first.packages }, index)).toMatchObject({ code: 'DEPENDENCY_NEEDS_BUILD' });
});

describe('code of a package that is built', () => {
  /** A file of the host that an archive reader accepts. */
  async function hostArchive(): Promise<string> {
    const folder = await temporaryFolder();
    const file = join(folder, 'private.zip');
    await writeFile(file, zipOf([{ path: 'private.txt', content: 'of the host' }]));
    return file;
  }

  test('cannot replace a fetched package, neither by a link to a file of the host nor by another wheel', async () => {
    const replace = `    for folder, _, files in os.walk('/work'):
        for name in files:
            if name.startswith('two-'):
                os.remove(folder + '/' + name)
                os.symlink('${await hostArchive()}', folder + '/' + name)
`;
    const index = await indexWith(await sourceOf(replace), two);
    expect(await built(['made', 'two'], index, { allowBuild: ['made'] })).toMatchObject({
      packages: [{ name: 'made' }, { name: 'two' }],
      files: { 'python/made.py': '444 x = 3\n', 'python/two.py': '444 x = 2\n' },
    });
  });

  test('cannot leave a link to a file of the host as its result', async () => {
    const leave = `    if os.path.exists('/work/made-1.0.tar.gz'):
        os.symlink('${await hostArchive()}', '/work/left/other-1.0-py3-none-any.whl')
`;
    const index = await indexWith(await sourceOf(leave));
    expect(await built(['made'], index, { allowBuild: ['made'] })).toMatchObject({
      code: 'SOURCE_DAMAGED',
      message: expect.stringContaining('"other-1.0-py3-none-any.whl"'),
    });
  });
});

describe('a package is refused', () => {
  const refused = async (wanted: string[], ...files: IndexFile[]) => built(wanted, await indexWith(...files));

  test('whose hash is not the one that the index declares', async () => {
    expect(await refused(['two'], { ...two, declared: 'b'.repeat(64) })).toMatchObject({
      code: 'SOURCE_DAMAGED',
    });
  });

  test.each([
    ['a path that leads out', { path: '../evil.py', content: 'x' }, 'SOURCE_UNSAFE_PATH'],
    ['an absolute path', { path: '/tmp/evil.py', content: 'x' }, 'SOURCE_UNSAFE_PATH'],
    ['a symlink', { path: 'evil.py', target: '/etc/passwd' }, 'SOURCE_UNSAFE_PATH'],
    ['a name longer than any', { path: `${'a'.repeat(300)}.py`, content: 'x' }, 'SOURCE_UNSAFE_PATH'],
    ['folders without end', { path: `${'d/'.repeat(3000)}x.py`, content: 'x' }, 'SOURCE_UNSAFE_PATH'],
    ['a name that redraws the terminal', { path: '\u001b[2Jx.py', content: 'x' }, 'SOURCE_UNSAFE_PATH'],
    ['a file where it has a folder', { path: 'two.py/evil.py', content: 'x' }, 'SOURCE_DAMAGED'],
  ])('whose wheel has %s', async (_, entry, code) => {
    const wheel = wheelOf('two', '1.5', { 'two.py': 'x = 2\n' }, { more: [entry] });
    expect(await refused(['two'], wheel)).toMatchObject({ code });
  });

  test('whose requirements conflict', async () => {
    const other = wheelOf('three', '1.0', { 'three.py': '' }, { requires: ['two>=2'] });
    expect(await refused(['two<2', 'three'], two, newer, other)).toMatchObject({
      code: 'DEPENDENCY_UNRESOLVED',
      message: expect.stringContaining('three 1.0 depends on two>=2'),
    });
  });

  test('that the index does not have', async () => {
    expect(await refused(['absent', 'two'], two)).toMatchObject({ code: 'DEPENDENCY_UNRESOLVED' });
    expect(await refused(['two>=9'], two)).toMatchObject({
      code: 'DEPENDENCY_UNRESOLVED',
      message: expect.stringContaining('"two>=9"'),
    });
  });

  test('whose index does not answer', async () => {
    const index = await indexWith(two);
    index.close();
    expect(await built(['two'], index)).toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  });

  test('whose index redirects to another host', async () => {
    const index = await indexWith(two);
    index.intercept.use = ({ url }, response) => {
      if (url?.startsWith('/files/') !== true) return false;
      response.writeHead(302, { location: 'http://127.0.0.2:9/x.whl' }).end();
      return true;
    };
    expect(await built(['two'], index)).toMatchObject({
      code: 'SOURCE_NOT_ALLOWED',
      message: expect.stringContaining('python: { hosts: ["http://127.0.0.2:9"] }'),
    });
  });
});
