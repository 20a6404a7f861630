import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InstallError } from '../install-error.ts';
import { jsonOf } from '../source/json-of.ts';
import { servedBounds } from '../source/source-bounds.ts';
import { type SourceHttp, withSourceHttp } from '../source/source-http.ts';
import {
  type DependencyOptions,
  type FetchedNpmPackage,
  hostNotAllowed,
  indexNetwork,
  type PackageIndex,
} from './dependency-options.ts';
import type { ResolvedPackage } from './npm-lock.ts';
import { type NpmRequirements, resolveNpm } from './resolve-npm.ts';

/** A package with its tarball on this machine. */
export interface NpmTarball extends FetchedNpmPackage {
  tarball: string;
}

/** Tarballs that are fetched at the same time, each into memory. */
const fetchesMax = 4;
const tarballBytesMax = 128 * 1024 * 1024;

/**
 * Fetches what the requirements need, in the versions that npm chooses, or exactly the locked packages, from the registry and its
 * hosts alone. Each tarball has the hash that the registry and the skill's `package-lock.json` declare. Parents come before the
 * packages in them. Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE` and `PROGRAM_MISSING`.
 */
export async function fetchNpm(
  wanted: NpmRequirements | { locked: readonly FetchedNpmPackage[] },
  registry: PackageIndex,
  options: DependencyOptions,
): Promise<readonly NpmTarball[]> {
  const { egress, deny, signal, folder } = options;
  const resolved =
    'locked' in wanted
      ? wanted.locked.map(({ file, integrity, ...each }) => ({
          ...each,
          url: new URL(file, `${registry.url}/`).href,
          integrity: [integrity],
        }))
      : await resolveNpm(wanted, registry, options);
  const network = {
    open: () => indexNetwork(registry, { egress, deny }),
    refusal: (denial: Parameters<typeof hostNotAllowed>[2]) => hostNotAllowed('node', registry, denial),
  };
  // Not in the folder that npm can write to.
  await mkdir(join(folder, 'tarballs'), { recursive: true });
  return withSourceHttp(
    { egress, deny, signal, network: registry.network },
    async (http) => {
      const hasLock = 'packageLock' in wanted && wanted.packageLock !== undefined;
      const checked = hasLock ? await asRegistered(resolved, registry, http) : resolved;
      const files = await tarballsOf(checked, join(folder, 'tarballs'), http);
      return checked
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
        .map(({ name, version, path, url }) => {
          const { tarball = '', integrity = '' } = files.get(url) ?? {};
          const isBelow = url.startsWith(`${registry.url}/`);
          const file = isBelow ? url.slice(registry.url.length + 1) : url;
          return { kind: 'npm' as const, name, version, path, file, integrity, tarball };
        });
    },
    network,
  );
}

/** Fetches each tarball once, and compares it with every hash that is declared for it. */
async function tarballsOf(
  packages: readonly ResolvedPackage[],
  folder: string,
  http: SourceHttp,
): Promise<Map<string, { tarball: string; integrity: string }>> {
  const files = new Map<string, { tarball: string; integrity: string }>();
  await eachOf([...Map.groupBy(packages, ({ url }) => url)], async ([url, same]) => {
    const [{ name, version } = { name: '', version: '' }] = same;
    const bytes = await http.fetch(url, { bytesMax: tarballBytesMax });
    for (const declared of same.flatMap(({ integrity }) => integrity))
      if (!matches(bytes, declared))
        throw new InstallError(
          'SOURCE_DAMAGED',
          `${url} has the hash ${sha512Of(bytes)} instead of ${declared.slice(0, 500)}, the hash of ${name} ${version}; it was not used`,
        );
    const tarball = join(folder, `${name.replace('/', '+')}-${version}.tgz`);
    await writeFile(tarball, bytes, { flag: 'wx', mode: 0o600 });
    files.set(url, { tarball, integrity: sha512Of(bytes) });
  });
  return files;
}

/** Does something for each item, for a few of them at the same time. */
async function eachOf<Item>(items: Item[], use: (item: Item) => Promise<void>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await use(item);
  };
  await Promise.all(Array.from({ length: fetchesMax }, worker));
}

function sha512Of(bytes: Uint8Array): string {
  return `sha512-${hash('sha512', bytes, 'base64')}`;
}

const algorithms = ['sha512', 'sha384', 'sha256', 'sha1'];

/** Whether bytes have one of the declared hashes of the strongest algorithm (Subresource Integrity). */
function matches(bytes: Uint8Array, declared: string): boolean {
  const hashes = declared.trim().split(/\s+/);
  const algorithm = algorithms.find((name) => hashes.some((each) => each.startsWith(`${name}-`)));
  if (algorithm === undefined) return false;
  const own = `${algorithm}-${hash(algorithm, bytes, 'base64')}`;
  return hashes.some((each) => each.replace(/\?.*$/, '') === own);
}

/**
 * The same packages with the registry's tarballs and hashes: a skill's `package-lock.json` could name a different package's tarball.
 * Rejects with `SOURCE_NOT_ALLOWED` if that file names a tarball elsewhere, and with `DEPENDENCY_UNSUPPORTED` if it puts a package in
 * the place of a different one.
 */
async function asRegistered(
  packages: readonly ResolvedPackage[],
  { url: registry }: PackageIndex,
  http: SourceHttp,
): Promise<readonly ResolvedPackage[]> {
  const checked: ResolvedPackage[] = [];
  const aliases = new Set<string>();
  await eachOf([...Map.groupBy(packages, ({ name }) => name)], async ([name, same]) => {
    const address = `${registry}/${name.replace('/', '%2f')}`;
    const { status, body } = await http.get(address, { bytesMax: servedBounds.artifactBytes, accept });
    if (status !== 200 && status !== 404)
      throw new InstallError('SOURCE_UNREACHABLE', `${address} was answered with status ${status}`);
    const { versions } = status === 404 ? { versions: {} } : Registered.parse(jsonOf(address, body));
    for (const each of same) {
      const registered = RegisteredVersion.safeParse(versions[each.version]).data;
      const dist = registered?.dist;
      for (const [alias, range] of Object.entries({
        ...registered?.dependencies,
        ...registered?.optionalDependencies,
      }))
        aliases.add(`${alias} ${/^npm:(@?[^@]*)/.exec(range)?.[1]}`);
      if (dist === undefined)
        throw new InstallError(
          'DEPENDENCY_UNRESOLVED',
          `the registry ${registry} has no ${name} ${each.version}, which package-lock.json of the skill names`,
        );
      if (each.url !== dist.tarball && !each.url.startsWith(`${registry}/`))
        throw new InstallError(
          'SOURCE_NOT_ALLOWED',
          `package-lock.json of the skill takes ${name} ${each.version} from ${each.url.slice(0, 500)}; only packages of the registry ${registry} are used. Remove that entry from the file, or remove the file`,
        );
      const { tarball: url, integrity } = dist;
      checked.push({
        ...each,
        url,
        integrity: integrity === undefined ? each.integrity : [...each.integrity, integrity],
      });
    }
  });
  for (const { name, path } of checked) {
    const found = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (found !== name && !aliases.has(`${found} ${name}`))
      throw new InstallError(
        'DEPENDENCY_UNSUPPORTED',
        `package-lock.json of the skill puts the package ${name} in the place of ${found}, and no package asks for that; it is refused. Remove that entry from the file, or remove the file`,
      );
  }
  return checked;
}

/** The short form of what a registry knows about a package. */
const accept = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';

const Registered = z
  .looseObject({ versions: z.record(z.string(), z.unknown()).catch({}) })
  .catch({ versions: {} });

const Ranges = z.record(z.string(), z.string()).optional().catch(undefined);

const RegisteredVersion = z.looseObject({
  dependencies: Ranges,
  optionalDependencies: Ranges,
  dist: z.looseObject({ tarball: z.url({ protocol: /^https?$/ }), integrity: z.string().optional() }),
});
