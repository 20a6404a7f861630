/** @typedef {{ name: string, group: string, args: readonly string[], program?: string }} CheckStep */

/**
 * Each is a program with arguments, run in the repository; without `program` it is Node, by path, so that nothing
 * depends on which package manager started us.
 * @type {readonly CheckStep[]}
 */
const checkSteps = [
  {
    name: 'biome',
    group: 'lint',
    args: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--max-diagnostics=none'],
  },
  { name: 'eslint', group: 'lint', args: ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.'] },
  // Declarations are written (to dist/, which git ignores), because projects read one another's.
  { name: 'types', group: 'types', args: ['node_modules/typescript/bin/tsc', '-b', '--emitDeclarationOnly'] },
  { name: 'imports', group: 'imports', args: ['scripts/check/imports.mjs'] },
  { name: 'unused', group: 'unused', args: ['node_modules/knip/bin/knip.js', '--no-config-hints'] },
  { name: 'hosts', group: 'files', args: ['scripts/check/registry-hosts.mjs'] },
  { name: 'wording', group: 'files', args: ['scripts/check/wording.mjs'] },
  // Reads only: it fails where an install would have to change the lockfile.
  {
    name: 'lockfile',
    group: 'files',
    program: 'pnpm',
    args: ['install', '--frozen-lockfile', '--lockfile-only'],
  },
];

/** Vitest's projects, as in vitest.config.ts. */
const testProjects = ['unit', 'contract', 'conformance', 'security', 'e2e'];

/** What `--only` understands. */
export function stepNames() {
  return [...new Set(checkSteps.flatMap(({ group, name }) => [group, name])), 'tests', ...testProjects];
}

/**
 * @param {string[] | undefined} only names of steps, groups or test projects; absent: everything
 * @param {boolean} withTests
 * @returns {{ checks: readonly CheckStep[], projects: readonly string[] }}
 */
export function selectSteps(only, withTests) {
  const unknown = only?.filter((name) => !stepNames().includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`there is no step ${unknown.join(', ')}`);
  const wanted = (/** @type {string[]} */ ...names) => !only || names.some((name) => only.includes(name));
  return {
    checks: checkSteps.filter(({ group, name }) => wanted(group, name)),
    projects: withTests ? testProjects.filter((name) => wanted('tests', name)) : [],
  };
}
