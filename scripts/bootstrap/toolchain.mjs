import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installerEnv } from './environment.mjs';
import { installPinned, isVerified } from './pinned-packages.mjs';
import { BootstrapError, onPath } from './processes.mjs';
import { nodePackage, nodeRange, nodeSuffices, pinnedPnpm, pnpmSuffices } from './versions.mjs';

/** @typedef {import('./pinned-packages.mjs').PinnedPackage} PinnedPackage */
/** @typedef {{ path: string, version: string }} Node */
/**
 * @typedef {{ file: string, args: string[] }} Pnpm how to call it: `args` precede other arguments
 */

/**
 * A Node that can run this repository: the current one, else one in PATH, else the one in
 * `.toolchain`.
 * @param {string} root
 * @returns {Node | undefined}
 */
export function findNode(root) {
  if (nodeSuffices(process.versions.node)) return { path: process.execPath, version: process.versions.node };
  for (const path of onPath('node').filter((file) => realpathSync(file) !== process.execPath)) {
    const version = versionOf(path, ['--version'], process.env).replace(/^v/, '');
    if (nodeSuffices(version)) return { path, version };
  }
  return installedNode(root);
}

/**
 * Node and pnpm, fetched into `.toolchain` if the machine has no suitable versions. Must be called
 * with the lock held.
 * @param {string} root
 * @returns {Promise<{ node: Node, pnpm: Pnpm }>}
 */
export async function ensureToolchain(root) {
  let node = findNode(root);
  let pnpm = node && findPnpm(root, node);
  if (node && pnpm) return { node, pnpm };

  // The content of .toolchain is replaced as a whole.
  const hasOwnNode = node !== undefined && !node.path.startsWith(modulesOf(root));
  await installToolchain(root, hasOwnNode ? [pnpmPackage(root)] : [requiredNodePackage(), pnpmPackage(root)]);
  node = findNode(root);
  pnpm = node && findPnpm(root, node);
  if (node && pnpm) return { node, pnpm };
  throw new BootstrapError(`the tools in .toolchain do not run on this machine: ${installNodeYourself}`);
}

const installNodeYourself = `install Node ${nodeRange} and pnpm 10, put them on PATH, and run this again`;

/**
 * @param {string} root
 * @param {Node} node
 * @returns {Pnpm | undefined}
 */
function findPnpm(root, node) {
  const env = {
    ...installerEnv(process.env),
    PATH: `${dirname(node.path)}${delimiter}${process.env['PATH']}`,
  };
  const file = onPath('pnpm').find((candidate) => pnpmSuffices(versionOf(candidate, ['--version'], env)));
  if (file) return { file, args: [] };
  const modules = modulesOf(root);
  if (!isVerified(modules, pnpmPackage(root))) return undefined;
  return { file: node.path, args: [join(modules, 'pnpm/bin/pnpm.cjs')] };
}

/**
 * @param {string} root
 * @param {PinnedPackage[]} packages
 */
async function installToolchain(root, packages) {
  const folder = join(root, '.toolchain');
  const specs = packages.map(({ name, version }) => `${name}@${version}`);
  console.error(`ambit: fetching ${specs.join(' and ')} into .toolchain (only once)`);
  removeLeftovers(folder);
  const aside = mkdtempSync(join(folder, 'new-'));
  try {
    await installPinned(aside, packages);
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    renameSync(join(aside, 'node_modules'), join(folder, 'node_modules'));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/**
 * Left behind by killed installs.
 * @param {string} folder
 */
function removeLeftovers(folder) {
  const old = (/** @type {string} */ path) => Date.now() - statSync(path).mtimeMs > 60 * 60_000;
  const aside = readdirSync(folder)
    .filter((name) => name.startsWith('new-'))
    .map((name) => join(folder, name));
  for (const path of aside.filter(old)) rmSync(path, { recursive: true, force: true });
}

function requiredNodePackage() {
  const { platform, arch } = process;
  const required = nodePackage({ platform, arch, musl: platform === 'linux' && usesMusl() });
  if (required) return required;
  throw new BootstrapError(`no Node is available for ${platform} ${arch}: ${installNodeYourself}`);
}

function usesMusl() {
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header.glibcVersionRuntime === undefined;
}

/** @param {string} root */
function pnpmPackage(root) {
  return pinnedPnpm(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager);
}

/**
 * @param {string} root
 * @returns {Node | undefined}
 */
function installedNode(root) {
  const wanted = nodePackage({ ...process, musl: false });
  const modules = modulesOf(root);
  if (wanted === undefined || !isVerified(modules, wanted)) return undefined;
  const path = join(modules, wanted.name, 'bin/node');
  return existsSync(path) ? { path, version: wanted.version } : undefined;
}

/** @param {string} root */
function modulesOf(root) {
  return join(root, '.toolchain/node_modules');
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} empty when it does not run
 */
function versionOf(file, args, env) {
  const { status, stdout } = spawnSync(file, args, {
    encoding: 'utf8',
    env,
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trim() : '';
}
