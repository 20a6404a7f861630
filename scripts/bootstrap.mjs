// Makes `npm start` and `npm test` work on a machine with nothing but an old Node and npm: finds or fetches the tools,
// installs the dependencies, then becomes the wished command. Runs on Node 20 and imports no package. What it has to
// say goes to stderr, because stdout belongs to the command (`ambit mcp` speaks a protocol there).
//
//   node scripts/bootstrap.mjs start [args]         the daemon
//   node scripts/bootstrap.mjs test [args]          every check and every test
//   node scripts/bootstrap.mjs run <script> [args]  any script of this repository
//   node scripts/bootstrap.mjs pnpm [args]          the pinned pnpm, for a machine that has none

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { currentBundle } from '../packages/server/src/bundle/current-bundle.mjs';
import { dependenciesInstalled, ensureDependencies } from './bootstrap/dependencies.mjs';
import { toolchainEnv } from './bootstrap/environment.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { BootstrapError, becomeCommand, runStep } from './bootstrap/processes.mjs';
import { ensureBubblewrap } from './bootstrap/system-packages.mjs';
import { ensureToolchain, findNode } from './bootstrap/toolchain.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
  await bootstrap(process.argv[2], process.argv.slice(3));
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error;
  console.error(`ambit: ${error.message}`);
  process.exitCode = error.exitCode;
}

/**
 * @param {string} [command]
 * @param {string[]} [args]
 */
async function bootstrap(command = '', args = []) {
  switch (command) {
    case 'start':
      await bundleBeforeStart();
      return runScript('packages/server/src/ambit.mjs', ['serve', ...args]);
    case 'test':
      return runScript('scripts/check.mjs', args);
    case 'run':
      if (args[0] !== undefined) return runScript(args[0], args.slice(1));
      break;
    case 'pnpm':
      return runPnpm(args);
  }
  throw new BootstrapError(
    'usage: node scripts/bootstrap.mjs start | test | run <script> | pnpm, then arguments',
  );
}

/**
 * @param {string} script relative to the repository
 * @param {string[]} args
 */
async function runScript(script, args) {
  const node = await readyNode();
  await ensureBubblewrap(root);
  await becomeCommand(node.path, [join(root, script), ...args], toolchainEnv(root, node));
}

/**
 * Before a start alone: whoever changes the sources and runs them does not wait for it, and runs the sources. Another process
 * makes it, because that takes packages; it looks whether there is one, too, but a start has no time to ask it.
 */
async function bundleBeforeStart() {
  const node = await readyNode();
  if (currentBundle() !== undefined) return;
  const env = toolchainEnv(root, node);
  await runStep(node.path, [join(root, 'scripts/bundle.mjs')], { cwd: root, env }).catch((error) => {
    if (!(error instanceof BootstrapError) || error.exitCode > 128) throw error;
    console.error(`ambit: it starts from its sources, which takes longer, because ${error.message}`);
  });
}

/** The lock is for those who install: when everything is there, nobody waits for anybody. */
async function readyNode() {
  const found = findNode(root);
  if (found && dependenciesInstalled(root, found)) return found;
  return withLock(root, async () => {
    const { node, pnpm } = await ensureToolchain(root);
    await ensureDependencies(root, node, pnpm);
    return node;
  });
}

/**
 * Without the dependencies: this is the command that repairs them.
 * @param {string[]} args
 */
async function runPnpm(args) {
  const { node, pnpm } = await withLock(root, () => ensureToolchain(root));
  await becomeCommand(pnpm.file, [...pnpm.args, ...args], toolchainEnv(root, node));
}
