import type { NetworkRule } from '@ambit/core/egress';
import { type CallProxy, type Egress, egressBounds, type Sandbox } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { fetchMs } from '../source/install-network.ts';
import { sourceBounds } from '../source/source-bounds.ts';

/** The packages that may be fetched, and from where. */
export interface DependencySettings {
  /** An index of Python packages (PEP 503); `null`: none is configured. */
  python: PackageIndex | null;
  /** A registry of npm packages; `null`: none is configured. */
  node: PackageIndex | null;
  /** Python packages that may be built from source, in the sandbox. */
  allowBuild: readonly string[];
  /** Packages that this machine has, and that are not fetched. */
  provided: readonly string[];
}

/** A configured index or registry. */
export interface PackageIndex {
  /** Without a slash at its end. */
  url: string;
  /** The host of the index, and the hosts of its files. */
  network: readonly NetworkRule[];
}

/** The dependencies and options of fetching packages. */
export interface DependencyOptions {
  settings: DependencySettings;
  sandbox: Sandbox;
  egress: Egress;
  /** Wins over the hosts of an index. */
  deny: readonly NetworkRule[];
  /** An empty folder for what is fetched, which the caller removes. */
  folder: string;
  signal: AbortSignal;
}

/** One fetched package. */
export type FetchedPackage = FetchedPythonPackage | FetchedNpmPackage;

/** One fetched file of a Python package. */
export interface FetchedPythonPackage {
  kind: 'python';
  /** Normalized. */
  name: string;
  version: string;
  /** The name of its file in the index. */
  file: string;
  /** The hash of that file, hex. */
  sha256: string;
}

/** One fetched package of npm, in one place: Node finds different versions in different places. */
export interface FetchedNpmPackage {
  kind: 'npm';
  name: string;
  version: string;
  /** Its folder: `node_modules/a/node_modules/b`. */
  path: string;
  /** The URL of its tarball, relative to the registry if it is below it. */
  file: string;
  /** The hash of that tarball: `sha512-` and Base64, as npm writes it. */
  integrity: string;
  /** It has an install script, which did not run. Absent: it has none. */
  installScript?: true;
}

/** The egress proxy for one index; the caller closes it. */
export async function indexNetwork(
  index: PackageIndex,
  { egress, deny }: Pick<DependencyOptions, 'egress' | 'deny'>,
): Promise<CallProxy> {
  const proxy = await egress.proxy();
  return proxy.open({
    network: index.network,
    deny,
    secrets: [],
    limits: { ...egressBounds, responseBytes: sourceBounds.bytes, timeoutMs: fetchMs },
    remedy: (rule) => JSON.stringify(rule.replace(/^(?!http:)(.*):443$/, '$1')),
  });
}

/** The error for a host that the index or the registry leads to and that is not configured. */
export function hostNotAllowed(
  key: 'python' | 'node',
  { url }: PackageIndex,
  { requested, reason, remedy }: ReturnType<CallProxy['denials']>[number],
): InstallError {
  const how = remedy.startsWith('remove deny rule')
    ? remedy
    : `add to ambit.config.yaml: installs: { dependencies: { ${key}: { hosts: [${remedy}] } } }`;
  return new InstallError(
    'SOURCE_NOT_ALLOWED',
    `${key === 'node' ? 'the registry' : 'the index'} ${url} leads to ${requested}, which ${reason.replace('granted to this skill', 'one of its configured hosts')}. If you trust that host, ${how}`,
  );
}
