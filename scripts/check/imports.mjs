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
const isForFolders = (/** @type {{ scope?: string }} */ { scope }) => scope === 'folder';

/**
 * Checks the rules for files.
 *
 * @param {string} root
 * @returns {Promise<Cruise>}
 */
export async function cruiseImports(root, roots = folders) {
  return cruised(root, roots, {
    ...options,
    ruleSet: { forbidden: forbidden.filter((/** @type {any} */ rule) => !isForFolders(rule)) },
  });
}

/**
 * Checks the rules for folders, without tests: the test of a folder may use every other one.
 *
 * @param {string} root
 * @returns {Promise<Cruise>}
 */
export async function cruiseFolders(root) {
  const tests = ['\\.test\\.ts$', '/testing/'];
  return cruised(root, ['packages'], {
    ...options,
    exclude: { path: [...options.exclude.path, ...tests] },
    ruleSet: { forbidden: forbidden.filter(isForFolders) },
  });
}

/**
 * @param {string} root
 * @param {string[]} roots
 * @param {import('dependency-cruiser').ICruiseOptions} rules
 */
async function cruised(root, roots, rules) {
  const { output } = await cruise(roots, { ...rules, baseDir: resolve(root), validate: true });
  return /** @type {Cruise} */ (output);
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
  let error = 0;
  for (const checked of [files, await cruiseFolders(root)]) {
    error += checked.summary.error;
    if (checked.summary.error > 0) console.log((await format(checked, { outputType: 'err-long' })).output);
  }
  if (unread.length > 0) console.log(`dependency-cruiser did not read:\n${unread.join('\n')}`);
  if (totalCruised < modulesMin) console.log(`dependency-cruiser read only ${totalCruised} modules`);
  if (error > 0 || unread.length > 0 || totalCruised < modulesMin) process.exitCode = 1;
  else console.log(`${totalCruised} modules, ${totalDependenciesCruised} imports`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
