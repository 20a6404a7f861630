// Checks imports against the rules in .dependency-cruiser.cjs. It also verifies that the tool has
// read every source file, because a tool that reads no files finds no violations (it silently read
// none under TypeScript 7).

import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, format } from 'dependency-cruiser';
import { listFiles } from './list-files.mjs';

/** @typedef {import('dependency-cruiser').ICruiseResult} Cruise */

const folders = ['packages', 'test', 'bench', 'examples', 'scripts'];
const modulesMin = 20;

const { forbidden, options } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');

/**
 * Checks the rules for imports.
 *
 * @param {string} root
 * @returns {Promise<Cruise>}
 */
export async function cruiseImports(root, roots = folders) {
  const rules = { ...options, ruleSet: { forbidden }, baseDir: resolve(root), validate: true };
  const { output } = await cruise(roots, rules);
  return /** @type {Cruise} */ (output);
}

/**
 * The folders of packages that can be understood only together: beside each other at any level, with
 * imports that lead from one back to it. Tests are left out: the test of a folder may use every other one.
 *
 * @param {Cruise} cruised
 * @returns {string[]} a line for each import back, with both files
 */
export function folderCycles({ modules }) {
  /** By folder, its subfolders that import one another. @type {Map<string, Map<string, Map<string, string>>>} */
  const levels = new Map();
  for (const { source, dependencies } of modules) {
    if (!isProduct(source)) continue;
    for (const { resolved } of dependencies.filter((each) => isProduct(each.resolved))) {
      const [from, to] = [source.split('/'), resolved.split('/')];
      const shared = from.findIndex((part, at) => part !== to[at]);
      const [own, other] = [from[shared], to[shared]];
      // A file directly in the folder is no folder.
      if (own === undefined || other === undefined) continue;
      if (shared === from.length - 1 || shared === to.length - 1) continue;
      const folder = from.slice(0, shared).join('/');
      const level = levels.get(folder) ?? new Map();
      levels.set(folder, level);
      level.set(own, (level.get(own) ?? new Map()).set(other, `${source} → ${resolved}`));
    }
  }
  return [...levels].flatMap(([folder, level]) =>
    [...level].flatMap(([own, imports]) =>
      [...imports]
        .filter(([other]) => reaches(level, other, own))
        .map(([, example]) => `${folder}: ${example}`),
    ),
  );
}

/**
 * @param {Map<string, Map<string, string>>} level
 * @param {string} from
 * @param {string} to
 */
function reaches(level, from, to, seen = new Set([from])) {
  for (const next of level.get(from)?.keys() ?? []) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(level, next, to, seen)) return true;
  }
  return false;
}

/** @param {string} file */
function isProduct(file) {
  return file.startsWith('packages/') && !/\.test\.ts$|\/testing\//.test(file);
}

/**
 * @param {Cruise} cruised
 * @param {readonly string[]} files all files of the repository
 * @returns {string[]} the source files that were not checked
 */
export function unreadSources(cruised, files) {
  const read = new Set(cruised.modules.map((module) => module.source));
  return files.filter((file) => isSource(file) && !read.has(file));
}

/** @param {string} file */
function isSource(file) {
  const inFolders = folders.some((folder) => file.startsWith(`${folder}/`));
  // AssemblyScript is not TypeScript, and fixtures break rules on purpose.
  const apart = /^packages\/(as-sdk|[^/]+-as)\/|^test\/fixtures\//.test(file);
  return inFolders && !apart && /\.(ts|mjs|js|cjs)$/.test(file);
}

async function main() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = await cruiseImports(root);
  const { totalCruised, totalDependenciesCruised } = files.summary;
  const unread = unreadSources(files, listFiles(root));
  const { error } = files.summary;
  if (error > 0) console.log((await format(files, { outputType: 'err-long' })).output);
  const cycles = folderCycles(files);
  if (cycles.length > 0)
    console.log(
      `These imports make folders depend on one another. Move what both need into a third folder:\n${cycles.join('\n')}`,
    );
  if (unread.length > 0) console.log(`dependency-cruiser did not read:\n${unread.join('\n')}`);
  if (totalCruised < modulesMin) console.log(`dependency-cruiser read only ${totalCruised} modules`);
  if (error > 0 || cycles.length > 0 || unread.length > 0 || totalCruised < modulesMin) process.exitCode = 1;
  else console.log(`${totalCruised} modules, ${totalDependenciesCruised} imports`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
