import { z } from 'zod';
import { InstallError } from '../install-error.ts';
import { jsonOf } from '../source/json-of.ts';
import type { FetchedNpmPackage, PackageIndex } from './dependency-options.ts';

/** A package as npm resolved it. */
export interface ResolvedPackage extends Pick<FetchedNpmPackage, 'name' | 'version' | 'path'> {
  url: string;
  /** The hashes that its tarball must match, as npm writes them, of any algorithm. */
  integrity: readonly string[];
}

/** npm writes this host into lock files, and replaces it by the configured registry. */
const publicRegistry = /^https:\/\/registry\.npmjs\.org\//;

/** The places where Node finds a package, with the characters of names that npm has ever allowed. */
const placePattern =
  /^node_modules\/(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*(?:\/node_modules\/(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*)*$/;

/**
 * Reads the lock file that npm wrote. Optional packages of other platforms are left out. Throws `DEPENDENCY_UNSUPPORTED` for
 * anything that does not come from a registry, and `DEPENDENCY_UNRESOLVED` for a package that does not fit this machine.
 */
export function readNpmLock(text: Uint8Array, { url: registry }: PackageIndex): ResolvedPackage[] {
  const { data: { packages } = {}, error: cause } = NpmLock.safeParse(jsonOf('what npm wrote', text));
  if (packages === undefined)
    throw new InstallError('SOURCE_DAMAGED', 'npm wrote a lock file that cannot be read', { cause });
  return Object.entries(packages).flatMap(([path, entry]) => {
    // The tarball of its parent contains a bundled package.
    if (path === '' || entry.inBundle === true) return [];
    const { version = '', resolved = '', integrity } = entry;
    const name = entry.name ?? /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? path;
    const { dependencies, optionalDependencies } = entry;
    const ranges = [...Object.values(dependencies), ...Object.values(optionalDependencies)];
    const foreign = ranges.find((range) => !rangePattern.test(range));
    if (foreign !== undefined) throw unsupported(name, `needs ${JSON.stringify(foreign.slice(0, 200))}`);
    const isRegistered = /^https?:\/\//.test(resolved) && /^\d+\.\d+\.\d+[\w.+-]*$/.test(version);
    if (
      !isRegistered ||
      entry.link === true ||
      !placePattern.test(path) ||
      !placePattern.test(`node_modules/${name}`)
    )
      throw unsupported(
        name,
        resolved === '' ? 'has no URL' : `is at ${JSON.stringify(resolved.slice(0, 200))}`,
      );
    if (!fitsMachine(entry)) {
      if (entry.optional === true) return [];
      throw new InstallError(
        'DEPENDENCY_UNRESOLVED',
        `${name} ${version} is only for ${[...entry.os, ...entry.cpu].join(', ')}, and this machine is ${process.platform}, ${process.arch}`,
      );
    }
    return {
      name,
      version,
      path,
      url: resolved.replace(publicRegistry, `${registry}/`),
      integrity: integrity === undefined ? [] : [integrity],
    };
  });
}

const Text = z.string().optional().catch(undefined);
const Flag = z.boolean().optional().catch(undefined);
const Ranges = z.record(z.string(), z.string()).default({});
const Names = z.union([z.array(z.string()), z.string().transform((name) => [name])]).catch([]);

/** The fields of an entry that count. Ranges that cannot be read are refused, because they could name anything. */
const LockEntry = z.looseObject({
  name: Text,
  version: Text,
  resolved: Text,
  integrity: Text,
  link: Flag,
  inBundle: Flag,
  optional: Flag,
  os: Names,
  cpu: Names,
  dependencies: Ranges,
  optionalDependencies: Ranges,
});
type LockEntry = z.output<typeof LockEntry>;

const NpmLock = z.looseObject({ packages: z.record(z.string(), LockEntry).default({}) });

/** A range of versions, a tag, or another name for a package of the registry; no URL, path or repository. */
const rangePattern = /^(?:npm:(?:@[^/:@]+\/)?[^/:@]+(?:@[^/:]*)?|[^/:]*)$/;

function fitsMachine({ os, cpu }: LockEntry): boolean {
  return fits(os, process.platform) && fits(cpu, process.arch);
}

/** Names that are allowed, or excluded by `!`. An empty list allows all. */
function fits(names: readonly string[], own: string): boolean {
  if (names.includes(`!${own}`)) return false;
  const allowed = names.filter((name) => !name.startsWith('!') && name !== 'any');
  return allowed.length === 0 || allowed.includes(own);
}

function unsupported(name: string, what: string): InstallError {
  return new InstallError(
    'DEPENDENCY_UNSUPPORTED',
    `the package ${JSON.stringify(name.slice(0, 200))} ${what}; only packages of the configured registry are used, and no URL, path or repository`,
  );
}
