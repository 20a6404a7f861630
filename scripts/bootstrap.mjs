// Makes `npm start` and `npm test` work on a machine that has only an old Node and npm. It finds or
// fetches the tools, installs the dependencies and runs the requested command. It runs on Node 20
// and imports no packages. Its own messages go to stderr, because stdout belongs to the command
// (`ambit mcp` speaks a protocol there).
//
//   node scripts/bootstrap.mjs start [args]         run the daemon
//   node scripts/bootstrap.mjs test [args]          run all checks and tests
//   node scripts/bootstrap.mjs run <script> [args]  run a script of this repository
//   node scripts/bootstrap.mjs pnpm [args]          run the pinned pnpm

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { currentBundle } from '../packages/cli/src/current-bundle.mjs';
import { dependenciesInstalled, ensureDependencies } from './bootstrap/dependencies.mjs';
import { toolchainEnv } from './bootstrap/environment.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { disabledByUser } from './bootstrap/no-compile-cache.mjs';
import { BootstrapError, becomeCommand, runStep } from './bootstrap/processes.mjs';
import { ensureBubblewrap } from './bootstrap/system-packages.mjs';
import { ensureToolchain, findNode } from './bootstrap/toolchain.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The `ambit` command. */
const program = 'packages/cli/src/ambit.mjs';

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
      return runScript(program, ['serve', ...args]);
    case 'test':
      return runScript('scripts/check.mjs', args);
    case 'run':
      if (args[0] !== undefined) return runScript(args[0], args.slice(1));
      break;
    case 'pnpm':
      return runPnpm(args);
  }
  throw new BootstrapError(
    'usage: node scripts/bootstrap.mjs start | test | run <script> | pnpm, followed by arguments',
  );
}

/**
 * @param {string} script relative to the repository
 * @param {string[]} args
 */
async function runScript(script, args) {
  const node = await readyNode();
  await ensureBubblewrap(root);
  const env = toolchainEnv(root, node);
  if (script === program) env['NODE_DISABLE_COMPILE_CACHE'] = disabledByUser;
  await becomeCommand(node.path, [join(root, script), ...args], env);
}

/**
 * Only before a start: other commands run the sources, so a developer does not wait for a bundle. A
 * separate process makes the bundle, because that needs packages. It also checks for a current
 * bundle, but asking it would slow down each start.
 */
async function bundleBeforeStart() {
  const node = await readyNode();
  if (currentBundle() !== undefined) return;
  const env = toolchainEnv(root, node);
  await runStep(node.path, [join(root, 'scripts/bundle.mjs')], { cwd: root, env }).catch((error) => {
    if (!(error instanceof BootstrapError) || error.exitCode > 128) throw error;
    console.error(`ambit: starting from the sources, which takes longer, because ${error.message}`);
  });
}

/** Only installing needs the lock. If everything is installed, nothing waits. */
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
 * Does not install dependencies: this is the command that repairs them.
 * @param {string[]} args
 */
async function runPnpm(args) {
  const { node, pnpm } = await withLock(root, () => ensureToolchain(root));
  await becomeCommand(pnpm.file, [...pnpm.args, ...args], toolchainEnv(root, node));
}
