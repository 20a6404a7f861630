import { execFileSync } from 'node:child_process';
import { constants, existsSync, rmSync, statSync } from 'node:fs';
import { cp, link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { listFiles } from './list-files.mjs';
import { sandboxOfUser, ordinaryUser as user } from './needs.mjs';
import { runVitest } from './tests.mjs';

/** @typedef {import('./run-step.mjs').StepResult} StepResult */

/**
 * The tests where it matters who runs them: sandboxes, files and their owners, installs, trust. Root may do what others may
 * not, so only these find what fails for a user.
 */
export const userTests = [
  'packages/installs/src/dependencies/',
  'packages/runtime/src/process/dependencies/',
  'packages/runtime/src/process/process-executor.test.ts',
  'packages/server/src/audit/file/',
  'packages/server/src/doctor/data-dir-check.test.ts',
  'packages/server/src/installs/installer.test.ts',
  'packages/server/src/installs/revocations.test.ts',
  'packages/server/src/installs/sync-skills.test.ts',
  'test/architecture/compile-cache.test.ts',
  'test/e2e/command-line/private-socket.test.ts',
  'test/e2e/command-line/remote-calls.test.ts',
  'test/e2e/installs/attacks.test.ts',
  'test/e2e/installs/approvals.test.ts',
  'test/e2e/sandbox/files-of-ambit.test.ts',
  'test/e2e/sandbox/private-socket.test.ts',
  'test/e2e/keys/trust.test.ts',
  'test/e2e/workspaces/calls.test.ts',
  'test/security/files.test.ts',
  'test/security/privilege.test.ts',
];

/**
 * If root runs the checks, runs a part of the tests again, as an ordinary user in a private copy of the repository: the user may
 * not be able to enter the folder of the original. Any other user runs all tests as an ordinary user anyway.
 * @param {string} root
 * @param {AbortSignal} signal
 * @returns {Promise<StepResult[]>}
 */
export async function runAsOrdinaryUser(root, signal) {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') return [];
  const why = await sandboxOfUser.why(root);
  if (why !== undefined)
    return [{ name: 'user', passed: 0, failed: 0, skipped: 1, durationMs: 0, output: `left out: ${why}` }];
  const copy = await mkdtemp(join(tmpdir(), 'ambit-user-'));
  try {
    const node = await copyRepository(root, copy);
    const env = {
      PATH: [dirname(node), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: join(copy, 'home'),
      TMPDIR: join(copy, 'tmp'),
      NODE_DISABLE_COMPILE_CACHE: '1',
      NO_COLOR: '1',
    };
    console.log(`\nA part of the tests as an ordinary user (${user}):`);
    const place = { cwd: join(copy, 'ambit'), env, uid: user, gid: user, signal };
    const reportFile = join(copy, 'tmp/report.json');
    return [(await runVitest('user', userTests, { node, reportFile, place })).result];
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * Copies the repository to `ambit` in a folder that only the user can enter. Installed packages are links to the same files
 * where possible, and stay root's.
 * @param {string} root
 * @param {string} copy
 * @returns {Promise<string>} the path of a Node that the user can run
 */
async function copyRepository(root, copy) {
  const target = join(copy, 'ambit');
  for (const name of ['ambit', 'home', 'tmp', 'node']) await mkdir(join(copy, name), { mode: 0o700 });
  const tracked = listFiles(root);
  for (const file of tracked)
    await cp(join(root, file), join(target, file), { mode: constants.COPYFILE_FICLONE });
  for (const folder of tracked.filter((file) => basename(file) === 'package.json').map(dirname)) {
    const modules = join(folder, 'node_modules');
    if (!existsSync(join(root, modules))) continue;
    linkOrCopy(join(root, modules), join(target, modules));
    await rm(join(target, modules, '.cache'), { recursive: true, force: true });
  }
  const node = join(copy, 'node/node');
  await link(process.execPath, node).catch(() => cp(process.execPath, node));
  // Not the packages: a link to a file has its owner. Their folders, in which tools cache.
  giveToUser(copy, '-path', '*/node_modules/.pnpm', '-prune', '-o', '-type', 'd');
  giveToUser(target, '-name', 'node_modules', '-prune', '-o');
  return node;
}

/**
 * @param {string} from
 * @param {string} to
 */
function linkOrCopy(from, to) {
  const canRead = (statSync(from).mode & 0o005) === 0o005;
  try {
    if (!canRead) throw new Error('a link has the permissions of its file');
    execFileSync('cp', ['--archive', '--link', from, to], { stdio: 'ignore' });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['--archive', from, to]);
    giveToUser(to);
  }
}

/**
 * @param {string} folder
 * @param {...string} selection for `find`
 */
function giveToUser(folder, ...selection) {
  const change = ['-exec', 'chown', '--no-dereference', `${user}:${user}`, '{}', '+'];
  execFileSync('find', [folder, ...selection, ...change]);
}
