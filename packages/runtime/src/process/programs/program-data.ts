import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Mount } from '../sandbox/sandbox.ts';
import { debianPackageOf } from './debian-packages.ts';
import { type LeftOut, mountOf } from './host-program.ts';
import { type InstalledPackage, installedPackages } from './installed-packages.ts';
import { programNeeds } from './program-needs.ts';

/** The folders of package records and of package data. Tests have their own. */
export interface DataPlaces {
  /** The database of dpkg. */
  database?: string;
  /** The folder that data folders are in. */
  share?: string;
}

/** Finds the data of programs. */
export interface ProgramData {
  /**
   * Mounts for the data folders of the packages of programs, and of the modules that their scripts
   * import. `names` are the names of programs; see `HostProgram`. At most `dataMountsMax`.
   */
  mountsFor(names: readonly string[], imports: ReadonlySet<string>, leftOut: LeftOut): Promise<Mount[]>;
}

/** Each takes a tenth of a millisecond of every start. */
const dataMountsMax = 40;

/** Sets of packages whose folders are remembered. */
const setsMax = 1000;

/** A package with more dependencies than this has data that nothing needs. */
const packagesMax = 1000;

/** A folder with more entries is not checked, and so not mounted. */
const entriesMax = 20_000;

/**
 * The data that Debian's packages record as theirs, such as `/usr/share/matplotlib` for a script that
 * imports matplotlib. Packages are read once, and not again until the next start. Without dpkg there is
 * none.
 *
 * The packages are the ones of the programs and of imported modules, and the libraries and data packages
 * that these depend on. Each of their folders directly below `/usr/share` is mounted if it and
 * everything in it belongs to root and only root can write there. Only configuration in `/etc` that is
 * named here is mounted with it.
 */
export function programData({
  database = '/var/lib/dpkg',
  share = '/usr/share',
}: DataPlaces = {}): ProgramData {
  const found = new Map<string, Promise<readonly string[]>>();
  const guarded = new Map<string, Promise<boolean>>();
  let installed: ReturnType<typeof installedPackages> | undefined;

  const isMounted = (path: string): Promise<boolean> => {
    const known = guarded.get(path) ?? isOfRoot(path);
    guarded.set(path, known);
    return known;
  };
  const pathsOf = async (
    starts: readonly string[],
    modules: readonly string[],
  ): Promise<readonly string[]> => {
    installed ??= installedPackages(database);
    const folders = new Set<string>();
    const libraries = new Set<string>();
    for (const each of await packagesFrom(new Set([...starts, ...modules]), await installed)) {
      for (const path of await each.paths()) {
        const name = path.startsWith(`${share}/`) ? path.slice(share.length + 1).split('/')[0] : undefined;
        if (name !== undefined && /^\w[\w.+-]*$/.test(name) && !notData.has(name)) folders.add(name);
        if (looseLibrary.test(path)) libraries.add(path);
      }
    }
    const paths: string[] = [];
    const data = [...folders].flatMap((name) => [join(share, name), ...(besides[name] ?? [])]);
    for (const path of [...libraries, ...data])
      if (paths.length < dataMountsMax && (await isMounted(path))) paths.push(path);
    return paths;
  };

  return {
    async mountsFor(names, imports, leftOut) {
      installed ??= installedPackages(database);
      const packages = await installed;
      const modules = await modulePackages(names, imports, packages);
      const starts = names.flatMap((name) => startsOf(name, packages));
      const key = JSON.stringify([starts, modules]);
      const paths = found.get(key) ?? pathsOf(starts, modules);
      found.set(key, paths);
      if (found.size > setsMax) found.delete([...found.keys()][0] ?? '');
      // A package may have been removed since.
      return (await paths).filter((path) => existsSync(path)).flatMap((path) => mountOf(path, leftOut.paths));
    },
  };
}

/** Documentation, menus, and what only desktops and builds read; modules, which the table of needs has. */
const notData: ReadonlySet<string> = new Set(
  (
    'X11 aclocal applications bash-completion binfmts bug dbus-1 debianutils doc doc-base fish gdb gir-1.0 help icons info java ' +
    'keyrings lintian locale man menu metainfo node_modules nodejs php perl perl5 pixmaps pkgconfig polkit-1 ' +
    'python3 readline ruby-vendor_ruby rubygems-integration themes vim wayland-sessions xsessions zoneinfo zsh'
  ).split(' '),
);

/** A shared library that is not in the folder of an architecture, which every sandbox has. */
const looseLibrary = /^\/usr\/lib\/lib[^/]+\.so[.\d]*$/;

/** The files of a data folder that are elsewhere: fonts are in several places, and some configuration is in `/etc`. */
const besides: Readonly<Record<string, readonly string[]>> = {
  fontconfig: ['/etc/fonts', '/var/cache/fontconfig'],
  fonts: ['/usr/local/share/fonts'],
  ghostscript: ['/var/lib/ghostscript'],
  matplotlib: ['/etc/matplotlibrc'],
  xml: ['/etc/xml'],
};

/**
 * The installed packages with the modules that scripts import, and the other ones that these need, or use
 * where they are installed: pandas plots with matplotlib. An application can have modules too. Of Perl, PHP,
 * R and Ruby, every package with modules.
 */
async function modulePackages(
  programs: readonly string[],
  imports: ReadonlySet<string>,
  installed: ReadonlyMap<string, InstalledPackage>,
): Promise<string[]> {
  const patterns = programNeeds(programs).modulePackages;
  const isNamed = (name: string): boolean => patterns.some((pattern) => matches(pattern, name));
  const isApplication = ({ needs }: InstalledPackage): boolean =>
    patterns.includes('python3-*') && needs.includes('python3');
  const found = new Set<string>();
  for (const [name, each] of installed)
    if ((isNamed(name) || isApplication(each)) && (await isImported(name, each, imports))) found.add(name);
  // The loop also visits packages that it adds.
  for (const name of found)
    for (const other of [installed.get(name)?.uses ?? [], installed.get(name)?.needs ?? []].flat())
      if (installed.has(other) && isNamed(other)) found.add(other);
  return [...found];
}

async function isImported(
  name: string,
  each: InstalledPackage,
  imports: ReadonlySet<string>,
): Promise<boolean> {
  if (name.startsWith('node-')) return imports.has(name.slice('node-'.length));
  if (!name.startsWith('python') && !each.needs.includes('python3')) return true;
  if (imports.size === 0) return false;
  return (await each.paths()).some((path) => {
    const [, module] = /\/dist-packages\/(\w+)/.exec(path) ?? [];
    return module !== undefined && imports.has(module);
  });
}

/**
 * These packages, and what they depend on: libraries, which Debian lets several architectures install
 * together, and data packages, which are for every architecture and contain no program.
 */
async function packagesFrom(
  starts: ReadonlySet<string>,
  installed: ReadonlyMap<string, InstalledPackage>,
): Promise<InstalledPackage[]> {
  const visited = new Set(starts);
  const packages: InstalledPackage[] = [];
  // The loop also visits packages that it adds.
  for (const name of visited) {
    const each = installed.get(name);
    if (each === undefined || packages.length >= packagesMax) continue;
    const isData = each.isForAll && (starts.has(name) || !(await hasProgram(each)));
    // By Debian's policy, libraries that only one architecture can install have a version in their name too.
    const isLoose = !each.isLibrary && /^lib.*\d/.test(name);
    if (!starts.has(name) && !isData && !each.isLibrary && !isLoose) continue;
    for (const needed of each.needs) visited.add(needed);
    // It opens fonts without depending on any.
    if (name === 'libfreetype6')
      for (const other of installed.keys()) if (other.startsWith('fonts-')) visited.add(other);
    if (starts.has(name) || isData || isLoose) packages.push(each);
  }
  return packages;
}

/** The package of a program, by the names that packages of programs have. */
function startsOf(program: string, installed: ReadonlyMap<string, InstalledPackage>): string[] {
  return [debianPackageOf(program), program]
    .flatMap((name) => (name === undefined ? [] : [name, `${name}-common`, `${name}-minimal`]))
    .filter((name) => installed.has(name));
}

async function hasProgram(each: InstalledPackage): Promise<boolean> {
  return (await each.paths()).some((path) => /\/(?:s?bin|games|libexec|init\.d|systemd)\/./.test(path));
}

function matches(pattern: string, name: string): boolean {
  const [start = '', end = ''] = pattern.split('*');
  return name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

/** The root and every folder above a path. */
function foldersTo(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersTo(above), above];
}

/**
 * Whether a path, the folders that it is in and everything in it are root's, readable for everyone, and
 * writable only for root. A link must lead to such a path of the system. What links inside lead to is
 * not mounted.
 */
async function isOfRoot(path: string): Promise<boolean> {
  try {
    const source = realpathSync.native(path);
    // The folders that a link is in as well: a user who can write there chooses where it leads.
    if (![...foldersTo(path), ...foldersTo(source)].every(isGuarded)) return false;
    const left = [source];
    let entries = 0;
    for (const at of left) {
      if (!isGuarded(at)) return false;
      if (!lstatSync(at).isDirectory()) continue;
      for (const entry of await readdir(at, { withFileTypes: true })) {
        entries += 1;
        if (entries > entriesMax) return false;
        if (!entry.isSymbolicLink()) left.push(join(at, entry.name));
      }
    }
    return true;
  } catch {
    // It does not exist, or is not readable.
    return false;
  }
}

/** Whether a path belongs to installed software: every user of this machine can read it, and only root write it. */
export function isInstalledPath(path: string): boolean {
  try {
    if (!/^\/usr\/(?:share|lib)\/./.test(path) || realpathSync.native(path) !== path) return false;
    return foldersTo(path).every(isGuarded) && isGuarded(path);
  } catch {
    return false;
  }
}

/** Whether a file or folder is root's, readable for everyone, and writable only for root. */
function isGuarded(path: string): boolean {
  const stats = lstatSync(path);
  const readable = stats.isDirectory() ? 0o005 : 0o004;
  const isPlain = stats.isDirectory() || stats.isFile();
  return isPlain && stats.uid === 0 && (stats.mode & 0o022) === 0 && (stats.mode & readable) === readable;
}
