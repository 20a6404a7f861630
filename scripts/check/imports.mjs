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

/**
 * @param {string} root
 * @returns {Promise<Cruise>}
 */
export async function cruiseImports(root, roots = folders) {
  const { forbidden, options } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');
  const { output } = await cruise(roots, {
    ...options,
    baseDir: resolve(root),
    validate: true,
    ruleSet: { forbidden },
  });
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
  const cruised = await cruiseImports(root);
  const { error, totalCruised, totalDependenciesCruised } = cruised.summary;
  const unread = unreadSources(cruised, listFiles(root));
  if (error > 0) console.log((await format(cruised, { outputType: 'err-long' })).output);
  if (unread.length > 0) console.log(`dependency-cruiser did not read:\n${unread.join('\n')}`);
  if (totalCruised < modulesMin) console.log(`dependency-cruiser read only ${totalCruised} modules`);
  if (error > 0 || unread.length > 0 || totalCruised < modulesMin) process.exitCode = 1;
  else console.log(`${totalCruised} modules, ${totalDependenciesCruised} imports`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
