/**
 * @typedef {{ name: string, group: string, args: readonly string[], program?: string, prints?: boolean }} CheckStep
 */

/**
 * Each step is a program with arguments that runs in the repository. Without `program` it is a Node
 * script, named by its path, so the package manager that started us does not matter. The output of a
 * step with `prints` is shown although the step passes.
 * @type {readonly CheckStep[]}
 */
const checkSteps = [
  {
    name: 'biome',
    group: 'lint',
    args: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--max-diagnostics=none'],
  },
  { name: 'eslint', group: 'lint', args: ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.'] },
  { name: 'types', group: 'types', args: ['scripts/check/types.mjs'] },
  { name: 'imports', group: 'imports', args: ['scripts/check/imports.mjs'] },
  { name: 'unused', group: 'unused', args: ['node_modules/knip/bin/knip.js', '--no-config-hints'] },
  // Exports that no product code uses. Knip ignores tests then, and what is marked `@internal`.
  {
    name: 'tests-only',
    group: 'unused',
    args: ['node_modules/knip/bin/knip.js', '--no-config-hints', '--production'],
  },
  { name: 'hosts', group: 'files', args: ['scripts/check/registry-hosts.mjs'] },
  { name: 'wording', group: 'files', args: ['scripts/check/wording.mjs'] },
  // Only reads: it fails if an install would change the lockfile.
  {
    name: 'lockfile',
    group: 'files',
    program: 'pnpm',
    args: ['install', '--frozen-lockfile', '--lockfile-only'],
  },
  { name: 'weight', group: 'weight', args: ['scripts/check/weight.mjs'], prints: true },
];

/** Vitest's projects, as in vitest.config.ts. */
const testProjects = ['unit', 'contract', 'conformance', 'security', 'e2e'];

/** The values of `--only`. */
export function stepNames() {
  return [
    ...new Set(checkSteps.flatMap(({ group, name }) => [group, name])),
    'tests',
    ...testProjects,
    'user',
  ];
}

/**
 * @param {string[] | undefined} only names of steps, groups or test projects; absent: everything
 * @param {boolean} withTests
 * @returns {{ checks: readonly CheckStep[], projects: readonly string[], asUser: boolean }} `asUser`: a part of the tests runs
 *   again as an ordinary user
 */
export function selectSteps(only, withTests) {
  const unknown = only?.filter((name) => !stepNames().includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`unknown step: ${unknown.join(', ')}`);
  const wanted = (/** @type {string[]} */ ...names) => !only || names.some((name) => only.includes(name));
  return {
    checks: checkSteps.filter(({ group, name }) => wanted(group, name)),
    projects: withTests ? testProjects.filter((name) => wanted('tests', name)) : [],
    asUser: withTests && wanted('tests', 'user'),
  };
}
