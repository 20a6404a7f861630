// Runs the session in README.md on the lowest supported Node and on the newest release of each
// supported major version. Each run uses a fresh copy of this repository with its own dependencies.
// Each Node is fetched once, into .toolchain.
//
//   npm run test:all -- nodes
//   npm run test:all -- nodes --only 22.18.0 --project unit --project e2e
//
// Arguments other than --only replace the session and go to vitest.

import './bootstrap/no-compile-cache.mjs';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lowestNode, nodePackage, nodeSuffices } from './bootstrap/versions.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const nodePackageName = nodePackage({ platform: process.platform, arch: process.arch, musl: false })?.name;
if (nodePackageName === undefined) throw new Error('npm has no Node package for this platform');

const readme = ['--project', 'e2e', 'test/e2e/command-line/documented-sessions.test.ts'];
const { only, vitestArgs } = parse(process.argv.slice(2));
const outcomes = (only === undefined ? supportedNodes() : [only]).map((version) => {
  const failure = failureOn(version, vitestArgs);
  return `${failure === undefined ? 'passed' : 'FAILED'}  Node ${version}${failure === undefined ? '' : `: ${failure}`}`;
});
console.log(outcomes.join('\n'));
if (outcomes.some((line) => line.startsWith('FAILED'))) process.exitCode = 1;

/** @param {string[]} args */
function parse(args) {
  const at = args.indexOf('--only');
  const rest = at < 0 ? args : args.toSpliced(at, 2);
  return { only: at < 0 ? undefined : args[at + 1], vitestArgs: rest.length > 0 ? rest : readme };
}

/** The lowest version and the newest of each major version. */
function supportedNodes() {
  const output = execFileSync('npm', ['view', String(nodePackageName), 'versions', '--json'], {
    encoding: 'utf8',
  });
  const released = /** @type {string[]} */ (JSON.parse(output)).filter(nodeSuffices);
  const newest = Object.values(Object.groupBy(released, (version) => version.split('.')[0] ?? '')).map(
    (all = []) => all.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? '',
  );
  return [...new Set([lowestNode, ...newest])];
}

/**
 * @param {string} version
 * @param {string[]} args
 * @returns {string | undefined} undefined if everything passed
 */
function failureOn(version, args) {
  console.log(`Node ${version}`);
  const node = fetchedNode(version);
  const copy = mkdtempSync(join(tmpdir(), 'ambit-nodes-'));
  try {
    // Skills run as another user if this process is root.
    chmodSync(copy, 0o755);
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const file of files.split('\0').filter((each) => each !== '' && existsSync(join(root, each))))
      cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
    const run = (/** @type {string[]} */ ...command) =>
      spawnSync(node, ['scripts/bootstrap.mjs', 'run', ...command], {
        cwd: copy,
        env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` },
        stdio: ['ignore', 'pipe', 'inherit'],
        encoding: 'utf8',
        maxBuffer: 2 ** 30,
      });
    const { stdout: doctor } = run('packages/cli/src/ambit.mjs', 'doctor', '--json');
    if (!doctor.includes(`v${version} on `)) return `ambit doctor ran on a different Node:\n${doctor}`;
    const { status, stdout } = run('node_modules/vitest/vitest.mjs', 'run', ...args);
    if (status === 0 && args === readme && stdout.includes('skipped'))
      return 'the session needs script and git';
    if (status === 0) return undefined;
    console.log(stdout);
    return `vitest run ${args.join(' ')} exited with ${status}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * @param {string} version
 * @returns {string} its path
 */
function fetchedNode(version) {
  const folder = join(root, '.toolchain/nodes', version);
  const node = join(folder, 'node_modules', String(nodePackageName), 'bin/node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const flags = [
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--no-package-lock',
    '--loglevel=error',
  ];
  execFileSync('npm', ['install', '--prefix', folder, ...flags, `${nodePackageName}@${version}`], {
    stdio: 'inherit',
  });
  return node;
}
