import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { threadProgram } from '../bundled.mjs';

/**
 * The sources that modules of a package need: what they import, the programs of their threads, and the files that they
 * locate.
 * @param {string} source the folder of the package's sources
 * @param {readonly string[]} entries paths of modules, from `source`
 * @returns {Promise<{ files: string[], packages: Set<string> }>} paths from `source`, sorted, and the names of the
 *   packages that the files import
 */
export async function reachedFrom(source, entries) {
  const files = new Set(entries);
  /** @type {Set<string>} */
  const packages = new Set();
  for (const file of files) {
    if (!/\.m?ts$|\.mjs$/.test(file)) continue;
    const text = await readFile(join(source, file), 'utf8');
    const { paths, names } = needsOf(text);
    for (const name of names) packages.add(name);
    for (const path of paths.map((each) => join(file, '..', each)))
      if (!path.startsWith('..')) for (const found of await filesAt(source, path)) files.add(found);
  }
  return { files: [...files].sort(), packages };
}

/** @param {string} text of a module */
function needsOf(text) {
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const [, program] = threadProgram.exec(text) ?? [];
  const located = [...text.matchAll(/\bnew URL\('([^']+)', import\.meta\.url\)/g)].map(
    ([, path = '']) => path,
  );
  const resolved = [...text.matchAll(/\bimport\.meta\.resolve\('([^']+)'\)/g)].map(([, name = '']) => name);
  return {
    paths: [...imported.filter(isPath), ...located, ...(program === undefined ? [] : [`${program}.ts`])],
    names: [...imported, ...resolved]
      .filter((name) => !isPath(name) && !name.startsWith('node:'))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
  };
}

/** @param {string} specifier */
function isPath(specifier) {
  return specifier.startsWith('.');
}

/**
 * A file, or all files in a folder without tests and what belongs to them.
 * @param {string} source
 * @param {string} path from `source`
 */
async function filesAt(source, path) {
  if ((await stat(join(source, path))).isFile()) return [path];
  const entries = await readdir(join(source, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(source.length + 1))
    .filter((file) => !/(?:^|\/)testing\/|\.test\.ts$/.test(file));
}
