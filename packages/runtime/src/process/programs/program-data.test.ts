// Threat model: T384

import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { programData } from './program-data.ts';

const isRoot = process.geteuid?.() === 0;
const leftOut = { programs: [], paths: [] };

/** Data in folders of root: in a temporary folder any user could write above them. */
let share = '';
beforeAll(async () => {
  if (!isRoot) return;
  share = await mkdtemp('/usr/share/ambit-test-');
  await chmod(share, 0o755);
});
afterAll(async () => {
  if (share !== '') await rm(share, { recursive: true, force: true });
});

interface Package {
  fields?: string;
  paths?: readonly string[];
}

/** The data that Python has on a machine with these packages. */
async function pythonWith(
  packages: Readonly<Record<string, Package>>,
  { denied = [] as string[], imports = ['x', 'plots'] } = {},
): Promise<string[]> {
  const database = await temporaryFolder();
  await mkdir(join(database, 'info'));
  const status = Object.entries(packages).map(
    ([name, { fields = 'Architecture: all' }]) =>
      `Package: ${name}\nStatus: install ok installed\n${fields}\nDescription: for a test\n two lines`,
  );
  await writeFile(join(database, 'status'), `${status.join('\n\n')}\n`);
  for (const [name, { paths = [] }] of Object.entries(packages))
    await writeFile(join(database, `info/${name}.list`), `/.\n${[...moduleOf(name), ...paths].join('\n')}\n`);
  const data = programData({ database, share });
  const named = new Set(imports);
  const mounts = await data.mountsFor(['python3', 'python3.11'], named, { ...leftOut, paths: denied });
  return mounts.map(({ source, target }) => `${source.replace(share, '')} at ${target.replace(share, '')}`);
}

/** The module of a package, as Debian names both. */
function moduleOf(name: string): string[] {
  const [, module] = /^python3-(\w+)$/.exec(name) ?? [];
  return module === undefined ? [] : [`/usr/lib/python3/dist-packages/${module}/__init__.py`];
}

let folders = 0;
/** A data folder with a file, and how to change it. */
async function dataFolder(
  change: (path: string) => Promise<unknown> = async () => undefined,
): Promise<string> {
  folders += 1;
  const path = join(share, `data-${folders}`);
  await mkdir(join(path, 'deep'), { recursive: true, mode: 0o755 });
  await writeFile(join(path, 'deep/file'), 'data', { mode: 0o644 });
  await change(path);
  return path;
}

describe.skipIf(!isRoot)('Python has the data', () => {
  test('of the modules that its script imports or that these use, of libraries and data packages that they need, and of no other program', async () => {
    const named = (name: string) => mkdir(join(share, name, 'x'), { recursive: true });
    await Promise.all(['plots', 'plots-data', 'used', 'unused', 'maps', 'tool', 'other', 'doc'].map(named));
    const inShare = (...names: string[]) => ({ paths: names.map((name) => join(share, name, 'x')) });
    expect(
      await pythonWith({
        'python3-plots': {
          fields:
            'Architecture: amd64\nDepends: plots-data (= 1), libmaps1 | libmaps2, tool\nRecommends: python3-used, other',
          ...inShare('plots', 'doc'),
        },
        'python3-used': inShare('used'),
        'python3-unused': inShare('unused'),
        'plots-data': inShare('plots-data'),
        libmaps2: { fields: 'Architecture: amd64\nMulti-Arch: same\nDepends: maps-data' },
        'maps-data': inShare('maps'),
        tool: { paths: ['/usr/bin/tool', join(share, 'tool/x')] },
        'ruby-other': inShare('other'),
      }),
    ).toEqual(['/plots at /plots', '/used at /used', '/plots-data at /plots-data', '/maps at /maps']);
  });

  test('of applications with modules, of modules that imported ones need, of fonts that FreeType opens, and loose libraries', async () => {
    const loose = `/usr/lib/libambit-test-${process.pid}.so.1`;
    await writeFile(loose, '', { mode: 0o644 });
    onTestFinished(() => rm(loose));
    const named = (name: string) => mkdir(join(share, name, 'x'), { recursive: true });
    await Promise.all(['printer', 'words', 'fonts', 'reader'].map(named));
    const inShare = (...names: string[]) => names.map((name) => join(share, name, 'x'));
    const printer = '/usr/lib/python3/dist-packages/printer/__init__.py';
    expect(
      await pythonWith(
        {
          printer: {
            fields: 'Architecture: all\nDepends: python3-words, python3',
            paths: [printer, '/usr/bin/printer', ...inShare('printer')],
          },
          'python3-words': {
            fields: 'Architecture: amd64\nDepends: words-data, libfreetype6, libloose0-alt',
          },
          'words-data': { paths: inShare('words') },
          libfreetype6: { fields: 'Architecture: amd64\nMulti-Arch: same' },
          'fonts-plain': { paths: inShare('fonts') },
          'libloose0-alt': { fields: 'Architecture: amd64', paths: [loose] },
          reader: { fields: 'Architecture: all\nDepends: python3', paths: inShare('reader') },
        },
        { imports: ['printer'] },
      ),
    ).toEqual([`${loose} at ${loose}`, '/printer at /printer', '/words at /words', '/fonts at /fonts']);
  });

  test.each<[what: string, change?: (path: string) => Promise<unknown>]>([
    ['a folder of root'],
    [
      'a link to such a folder',
      async (path) => {
        await rm(path, { recursive: true });
        await symlink(await dataFolder(), path);
      },
    ],
    ['a folder with a link in it', (path) => symlink('/root', join(path, 'link'))],
  ])('in %s', async (_, change) => {
    const path = await dataFolder(change);
    expect(await pythonWith({ 'python3-x': { paths: [join(path, 'deep/file')] } })).toHaveLength(1);
  });

  test.each<[what: string, change: (path: string) => Promise<unknown>]>([
    [
      'that is a link to a home folder',
      async (path) => {
        await rm(path, { recursive: true });
        await symlink('/root', path);
      },
    ],
    [
      'that is a link to a folder that any user can write',
      async (path) => {
        await rm(path, { recursive: true });
        await symlink('/tmp', path);
      },
    ],
    ['that a group can write', (path) => chmod(path, 0o775)],
    ['that any user can write', (path) => chmod(path, 0o777)],
    ['of another user', (path) => chown(path, 1234, 0)],
    ['that only root can read', (path) => chmod(path, 0o700)],
    ['with a folder of another user in it', (path) => chown(join(path, 'deep'), 1234, 0)],
    ['with a file that a group can write', (path) => chmod(join(path, 'deep/file'), 0o664)],
    ['with a file that only root and a group can read', (path) => chmod(join(path, 'deep/file'), 0o640)],
  ])('but not in a folder %s', async (_, change) => {
    const path = await dataFolder(change);
    expect(await pythonWith({ 'python3-x': { paths: [join(path, 'deep/file')] } })).toEqual([]);
  });

  test('but not where a link is in a folder that a group can write, wherever it leads', async () => {
    await symlink('/usr/share/dpkg', join(share, 'linked'));
    const withLink = () => pythonWith({ 'python3-x': { paths: [join(share, 'linked/x')] } });
    expect(await withLink()).toEqual(['/usr/share/dpkg at /linked']);
    await chmod(share, 0o775);
    try {
      expect(await withLink()).toEqual([]);
    } finally {
      await chmod(share, 0o755);
    }
  });

  test.each([
    '/etc/shadow',
    '/etc/passwd',
    '/root/.ssh/id_ed25519',
    '/home/ada/x',
    '/usr/share/../../root/x',
  ])('and the list of a package that names %s gives it nothing', async (path) => {
    expect(await pythonWith({ 'python3-x': { paths: [path, `${share}/../../..${path}`] } })).toEqual([]);
  });

  test('but none that a deny rule names', async () => {
    const path = await dataFolder();
    expect(
      await pythonWith(
        { 'python3-x': { paths: [join(path, 'deep/file')] } },
        { denied: [join(path, 'deep')] },
      ),
    ).toEqual([]);
  });

  test('but no more than 40 folders', async () => {
    const paths = await Promise.all(Array.from({ length: 60 }, () => dataFolder()));
    const found = await pythonWith({ 'python3-x': { paths: paths.map((path) => join(path, 'deep/file')) } });
    expect(found).toHaveLength(40);
  });
});

test('a machine without dpkg has no such data', async () => {
  const data = programData({ database: join(await temporaryFolder(), 'none') });
  expect(await data.mountsFor(['python3'], new Set(['x']), leftOut)).toEqual([]);
});
