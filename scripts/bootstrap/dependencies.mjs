import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installerEnv } from './environment.mjs';
import { explainDownload } from './pinned-packages.mjs';
import { runStep } from './processes.mjs';

/** @typedef {import('./toolchain.mjs').Node} Node */

/**
 * Whether node_modules matches the lockfile and every package.json for this Node, according to the
 * stamp of the last complete install.
 * @param {string} root
 * @param {Node} node
 */
export function dependenciesInstalled(root, node) {
  try {
    return readFileSync(stampFile(root), 'utf8') === currentStamp(root, node);
  } catch {
    return false; // no stamp
  }
}

/**
 * Must be called with the lock held.
 * @param {string} root
 * @param {Node} node
 * @param {import('./toolchain.mjs').Pnpm} pnpm
 */
export async function ensureDependencies(root, node, pnpm) {
  if (dependenciesInstalled(root, node)) return;
  console.error('ambit: installing dependencies (pnpm install --frozen-lockfile)');
  const stamp = currentStamp(root, node);
  // Removed first, so an interrupted install does not count as complete.
  rmSync(stampFile(root), { force: true });
  const env = installerEnv(process.env);
  await runStep(pnpm.file, [...pnpm.args, 'install', '--frozen-lockfile', '--prod=false'], {
    cwd: root,
    env: { ...env, PATH: `${dirname(node.path)}${delimiter}${env['PATH']}` },
  }).catch(explainDownload);
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(stampFile(root), stamp);
}

/**
 * @param {{ path: string, content: string }[]} files
 * @param {string} nodeVersion
 * @returns {string} differs when any path, content, Node's version or the platform differs
 */
export function installStamp(files, nodeVersion) {
  const sorted = files
    .map(({ path, content }) => [path, content])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const text = JSON.stringify([process.platform, process.arch, nodeVersion, sorted]);
  return createHash('sha256').update(text).digest('hex');
}

/**
 * @param {string} root
 * @param {Node} node
 */
function currentStamp(root, node) {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const folders = [
    '.',
    ...workspacePatterns(workspace).flatMap((pattern) => expand(root, pattern.split('/'))),
  ];
  const paths = folders
    .map((folder) => join(folder, 'package.json'))
    .filter((path) => existsSync(join(root, path)));
  const files = ['pnpm-workspace.yaml', 'pnpm-lock.yaml', ...paths];
  return installStamp(
    files.map((path) => ({ path, content: readFileSync(join(root, path), 'utf8') })),
    node.version,
  );
}

/**
 * The list under `packages:`, read without a YAML parser. The rest of the file does not affect
 * where packages are.
 * @param {string} yaml
 */
export function workspacePatterns(yaml) {
  const [, list = ''] = /^packages:\s*\n((?:\s*-.*\n?)+)/m.exec(yaml) ?? [];
  return list.split('\n').flatMap((line) => /^\s*-\s*['"]?([^'"\s#]+)/.exec(line)?.[1] ?? []);
}

/**
 * @param {string} root
 * @param {string[]} segments of a pattern in which `*` stands for one folder's name
 * @returns {string[]}
 */
function expand(root, segments, parent = '') {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [parent];
  if (segment !== '*') return expand(root, rest, join(parent, segment));
  const folder = join(root, parent);
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => expand(root, rest, join(parent, entry.name)));
}

/** @param {string} root */
function stampFile(root) {
  return join(root, 'node_modules/.ambit-install');
}
