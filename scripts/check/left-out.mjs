import { relative } from 'node:path';
import * as needs from './needs.mjs';

/** @typedef {{ name: string, assertionResults: { status: string }[] }} FileReport */

/**
 * The needs that tests of `npm test` have of a machine, and the subjects of these tests.
 * @type {readonly (readonly [what: string, need: needs.Need])[]}
 */
const ofTheMachine = [
  ['tests of other owners and users', needs.byRoot],
  ['tests of full disks and hidden mounts', needs.mounts],
  ['tests of what cgroups measure and limit', needs.cgroups],
  ['tests as an ordinary user', needs.sandboxOfUser],
  ['attacks as an ordinary user', needs.openToAll],
  ['the search of sandboxed processes from outside', needs.memoryOfOthers],
  ['tests of the console in a browser', needs.chromium],
  ['tests of an OCI registry', needs.ociRegistry],
  ['tests of the data of Debian packages', needs.dataOfPackages],
  ['tests of PostgreSQL and of clusters', needs.postgres],
  ['the Python corpus', needs.python311],
  ['tests of commands at a terminal', needs.programs(['script'], 'bsdutils')],
  ['tests of git, curl and of the README', needs.programs(['git', 'curl'])],
  ['tests of completions', needs.programs(['bash', 'zsh', 'fish'])],
  ['tests of files in shared folders', needs.programs(['strace'])],
  ['tests of systemd', needs.programs(['systemd-analyze', 'systemd-notify'], 'systemd')],
  ['tests of the Debian package', needs.programs(['dpkg-deb'], 'dpkg')],
  ['tests of SSH keys', needs.programs(['ssh-keygen'], 'openssh-client')],
];

/**
 * Reports the tests that a run leaves out, a line for each reason, and how to run them.
 * @param {string} root
 * @param {readonly FileReport[]} reports of Vitest
 * @param {boolean} isWhole whether the long corpora ran whole
 */
export async function leftOut(root, reports, isWhole) {
  const lines = [];
  for (const [what, need] of ofTheMachine) {
    const why = await need.why(root);
    if (why !== undefined) lines.push(`Left out: ${what}, because ${why}.`);
  }
  const skipped = skippedTests(root, reports);
  if (skipped !== undefined) lines.push(skipped);
  if (!isWhole)
    lines.push(
      'Left out: most of the long corpora, and what takes minutes (image, service, kills, …). To run them: npm run test:all (-- --list shows them).',
    );
  return lines;
}

/**
 * @param {string} root
 * @param {readonly FileReport[]} reports
 */
function skippedTests(root, reports) {
  const skipped = reports
    .map(({ name, assertionResults }) => ({
      file: relative(root, name),
      count: assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed').length,
    }))
    .filter(({ count }) => count > 0);
  if (skipped.length === 0) return undefined;
  const total = skipped.reduce((sum, { count }) => sum + count, 0);
  return `Skipped tests: ${total}, in ${skipped.map(({ file, count }) => `${file} (${count})`).join(', ')}.`;
}
