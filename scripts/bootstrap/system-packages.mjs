import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { BootstrapError, onPath, runStep } from './processes.mjs';

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

const limits = [
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=20',
  '-o',
  'DPkg::Lock::Timeout=120',
];

const absence = 'bubblewrap is missing, so process skills are refused and `npm test` fails';

/**
 * Bubblewrap is the sandbox of process skills. Without it the daemon still serves prompts, so its
 * absence is only reported. Only root can install it.
 * @param {string} root
 */
export async function ensureBubblewrap(root) {
  if (process.platform !== 'linux' || isInstalled()) return;
  if (process.getuid?.() !== 0 || onPath('apt-get').length === 0) return explainAbsence();
  await withLock(root, async () => {
    if (isInstalled()) return;
    await install(root, 'bubblewrap').catch(explainFailure);
  });
}

function isInstalled() {
  return onPath('bwrap').length > 0;
}

/**
 * @param {string} cwd
 * @param {string} name
 */
async function install(cwd, name) {
  console.error(`ambit: installing ${name} (apt-get install ${name})`);
  const options = { cwd, env, timeoutMs: 300_000 };
  // An update may fail for one source while another one still has the package.
  await runStep('apt-get', ['update', ...limits], options).catch(continueUnlessStopped);
  await runStep('apt-get', ['install', '-y', '--no-install-recommends', ...limits, name], options);
}

/** @param {unknown} error */
function explainFailure(error) {
  continueUnlessStopped(error);
  console.error(`ambit: ${/** @type {BootstrapError} */ (error).message}`);
  explainAbsence();
}

/** @param {unknown} error */
function continueUnlessStopped(error) {
  if (!(error instanceof BootstrapError) || error.exitCode !== 1) throw error;
}

function explainAbsence() {
  console.error(
    `ambit: ${absence}; install it with your package manager ` +
      '(apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap, pacman -S bubblewrap)',
  );
}

/** The browser that tests use; `undefined`: it is missing. */
export function chromiumProgram() {
  return ['chromium', 'chromium-browser'].flatMap((name) => onPath(name))[0];
}

/**
 * Installs Chromium for the tests of the console, as root on Debian and Ubuntu. If that fails, `npm test` reports it.
 * @param {string} root
 */
export async function ensureChromium(root) {
  if (chromiumProgram() !== undefined) return;
  if (process.getuid?.() === 0 && onPath('apt-get').length > 0)
    await withLock(root, () => install(root, 'chromium')).catch(continueUnlessStopped);
}

/** Data of a small Debian package, `docutils-common`, for the tests. */
export const packagedData = '/usr/share/docutils';

/**
 * Installs Debian's `python3-docutils`, which reads data of another package, as root on Debian and Ubuntu. If that fails,
 * `npm test` reports it.
 * @param {string} root
 */
export async function ensurePackagedData(root) {
  if (existsSync(packagedData)) return;
  if (process.getuid?.() === 0 && onPath('apt-get').length > 0)
    await withLock(root, () => install(root, 'python3-docutils')).catch(continueUnlessStopped);
}

/**
 * The OCI registry that tests use: on the PATH, or unpacked by `ensureDockerRegistry`. `undefined`: it is missing.
 * @param {string} root
 * @returns {string | undefined}
 */
export function dockerRegistry(root) {
  const unpacked = join(registryFolder(root), 'usr/bin/docker-registry');
  return onPath('docker-registry')[0] ?? (existsSync(unpacked) ? unpacked : undefined);
}

/**
 * Unpacks Debian's `docker-registry` into `.toolchain`, for the tests. It is not installed, because that starts a service.
 * If that fails, `npm test` reports it.
 * @param {string} root
 */
export async function ensureDockerRegistry(root) {
  if (dockerRegistry(root) !== undefined) return;
  if (onPath('apt-get').length > 0 && onPath('dpkg').length > 0)
    await withLock(root, () => unpackDockerRegistry(root)).catch(continueUnlessStopped);
}

/** @param {string} root */
async function unpackDockerRegistry(root) {
  console.error(
    'ambit: fetching docker-registry into .toolchain, for the tests (apt-get download docker-registry)',
  );
  await mkdir(join(root, '.toolchain'), { recursive: true });
  const folder = await mkdtemp(join(root, '.toolchain/docker-registry-'));
  try {
    const options = { cwd: folder, env, timeoutMs: 300_000 };
    // Only root can update the lists, which a fresh container does not have.
    if (process.getuid?.() === 0)
      await runStep('apt-get', ['update', ...limits], options).catch(continueUnlessStopped);
    await runStep('apt-get', ['download', ...limits, 'docker-registry'], options);
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
    await runStep('dpkg', ['-x', archive, 'unpacked'], options);
    await rm(registryFolder(root), { recursive: true, force: true });
    await rename(join(folder, 'unpacked'), registryFolder(root));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} root */
function registryFolder(root) {
  return join(root, '.toolchain/docker-registry');
}
