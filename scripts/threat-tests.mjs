// Lists the tests of the attacks in THREAT_MODEL.md. A test file names its attacks in its first comment, so moving a test
// changes no document.
//
//   node scripts/threat-tests.mjs [T12 …]

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ id: string, attack: string }} Attack */

const places = ['packages/*/src/**/*.test.ts', 'test/**/*.ts', 'examples/*/src/**/*.test.ts'];

/**
 * @param {string} root
 * @returns {Attack[]} the rows of the threat model, in their order
 */
export function attacks(root) {
  const text = readFileSync(join(root, 'THREAT_MODEL.md'), 'utf8');
  return [...text.matchAll(/^\| (T\d+) \| (.+) \| .+ \|$/gm)].map(([, id = '', attack = '']) => ({
    id,
    attack,
  }));
}

/**
 * @param {string} root
 * @returns {Map<string, string[]>} the test files of each attack that a test file names, by its id
 */
export function testsOfAttacks(root) {
  const exclude = ['**/node_modules/**', '**/dist/**'];
  const files = places.flatMap((pattern) => globSync(pattern, { cwd: root, exclude })).toSorted();
  /** @type {Map<string, string[]>} */
  const tests = new Map();
  for (const file of files)
    for (const id of namedIn(readFileSync(join(root, file), 'utf8')))
      tests.set(id, [...(tests.get(id) ?? []), file]);
  return tests;
}

/**
 * @param {string} text of a test file
 * @returns {string[]} the ids of its attacks
 */
function namedIn(text) {
  const [comment = ''] = /^\/\/ Threat model: .*(?:\n\/\/ T\d.*)*/m.exec(text) ?? [];
  return comment.match(/\bT\d+\b/g) ?? [];
}

/**
 * The appendix of the threat model in the packages, which have no tests to search.
 * @param {string} root
 */
export function threatTestsTable(root, only = /** @type {readonly string[]} */ ([])) {
  const tests = testsOfAttacks(root);
  const rows = attacks(root).filter(({ id }) => only.length === 0 || only.includes(id));
  const lines = rows.map(({ id, attack }) => {
    const files = (tests.get(id) ?? []).map((file) => `\`${file}\``).join(', ');
    return `| ${id} | ${attack} | ${files} |`;
  });
  return ['| | attack | tests |', '|---|---|---|', ...lines].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(threatTestsTable(fileURLToPath(new URL('..', import.meta.url)), process.argv.slice(2)));
