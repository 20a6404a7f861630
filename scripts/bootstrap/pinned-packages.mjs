import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { installerEnv } from './environment.mjs';
import { BootstrapError, runStep } from './processes.mjs';

/**
 * An npm package with a pinned hash.
 * @typedef {object} PinnedPackage
 * @property {string} name
 * @property {string} version
 * @property {string} integrity of its tarball, in npm's format: `sha512-` and base64
 */

const quiet = ['--ignore-scripts', '--loglevel=error'];
const alone = ['--offline', '--no-save', '--no-audit', '--no-fund', '--no-package-lock'];

/**
 * Fetches packages and installs them into `node_modules` of a folder. Each tarball is compared with
 * its pin before it is unpacked, and the install is offline, so nothing else is installed. Rejects
 * with a BootstrapError.
 * @param {string} folder empty
 * @param {PinnedPackage[]} packages
 */
export async function installPinned(folder, packages) {
  const tarballs = [];
  for (const pinned of packages) {
    const tarball = await fetchTarball(folder, pinned);
    await checkTarball(tarball, pinned);
    tarballs.push(tarball);
  }
  await npm(folder, ['install', '--prefix', folder, ...quiet, ...alone, ...tarballs]);
  const verified = Object.fromEntries(packages.map(({ name, integrity }) => [name, integrity]));
  writeFileSync(markerIn(join(folder, 'node_modules')), JSON.stringify(verified));
}

/**
 * Whether a folder of modules has this package from a tarball that was compared with this pin.
 * Earlier versions of the bootstrap did not compare.
 * @param {string} modules
 * @param {PinnedPackage} pinned
 */
export function isVerified(modules, { name, integrity }) {
  try {
    return JSON.parse(readFileSync(markerIn(modules), 'utf8'))[name] === integrity;
  } catch {
    return false; // no marker
  }
}

/** @param {string} modules */
function markerIn(modules) {
  return join(modules, '.ambit-verified.json');
}

/**
 * @param {string} folder
 * @param {PinnedPackage} pinned
 */
async function fetchTarball(folder, { name, version }) {
  const place = mkdtempSync(join(folder, 'tarball-'));
  await npm(folder, ['pack', `${name}@${version}`, '--pack-destination', place, ...quiet]);
  const [file] = readdirSync(place);
  if (file !== undefined) return join(place, file);
  throw new BootstrapError(`npm fetched no tarball of ${name}@${version}`);
}

/**
 * @param {string} tarball
 * @param {PinnedPackage} pinned
 */
async function checkTarball(tarball, { name, version, integrity }) {
  const hash = createHash('sha512');
  await pipeline(createReadStream(tarball), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found === integrity) return;
  throw new BootstrapError(
    `${name}@${version} is refused, and nothing of it was run: its tarball does not match the pinned hash\n` +
      `  expected ${integrity}\n  found    ${found}\n` +
      'Either the registry or a proxy serves a different file (see `npm config list`), or the version was changed without its hash.',
  );
}

/**
 * @param {string} folder
 * @param {string[]} args
 */
async function npm(folder, args) {
  await runStep('npm', args, { cwd: folder, env: installerEnv(process.env) }).catch(explainDownload);
}

/**
 * @param {unknown} error
 * @returns {never}
 */
export function explainDownload(error) {
  if (!(error instanceof BootstrapError) || error.exitCode !== 1) throw error;
  const advice = error.message.includes('ERR_PNPM_OUTDATED_LOCKFILE')
    ? 'A package.json has changed without the lockfile. To update it, run `node scripts/bootstrap.mjs pnpm install`.'
    : 'If this is a network problem, check the registry and proxy in `npm config list`, and try again.';
  throw new BootstrapError(`${error.message}\n${advice}`, { cause: error });
}
