import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { writeFlatDeclarations } from './flat-declarations.mjs';
import { publishedManifest, readManifest } from './manifest.mjs';
import { reachedFrom } from './reached.mjs';
import { root } from './root.mjs';

/** @typedef {import('./manifest.mjs').Workspace} Workspace */

/**
 * Copies a package of the repository into `staged` as it is published: modules as JavaScript with declaration files and
 * source maps, below `dist`. A package with types from a package that it does not depend on gets one flat
 * file of declarations for each entry.
 * @param {string} name of its folder in packages/
 * @param {string} staged
 * @param {{ workspace: Workspace, program: ts.Program, compiled: string }} from `compiled`: where `compile` wrote `program`
 */
export async function stageLibrary(name, staged, { workspace, program, compiled: folder }) {
  const manifest = await readManifest(`packages/${name}`);
  const [source, compiled] = [join(root, 'packages', name, 'src'), join(folder, name, 'src')];
  // The subpaths of the server are for the command, which is published as a bundle.
  /** @type {{ exports: Record<string, string> }} */
  const { exports: subpaths } = manifest.publishConfig ?? manifest;
  const exports = Object.entries(subpaths);
  const entries = exports.map(([, path]) => path.slice('./src/'.length));
  const { files, packages } = await reachedFrom(source, entries);
  // What a package imports from a package of the workspace that it does not depend on are types only.
  const typesOnly = Object.entries(manifest.devDependencies ?? {})
    .filter(([each, range]) => range.startsWith('workspace:') && packages.has(each))
    .map(([each]) => each);
  for (const each of typesOnly) packages.delete(each);
  const isDerived = typesOnly.length > 0;
  for (const path of files) {
    const target = join(staged, 'dist', path);
    await mkdir(dirname(target), { recursive: true });
    if (path.endsWith('.ts')) await copyCompiled(path, { source, compiled, target });
    else await cp(join(source, path), target);
    if (path.endsWith('.ts') && !isDerived)
      await copyDeclarations(join(compiled, path), target, '.ts', '.d.ts');
    // The declarations of plain JavaScript.
    if (path.endsWith('.mjs')) await copyDeclarations(join(compiled, path), target, '.mjs', '.d.mts');
  }
  if (isDerived)
    await writeFlatDeclarations(program, { source, compiled, staged: join(staged, 'dist') }, entries);
  const dependencies = usedOf(manifest, packages);
  const published = publishedManifest({ ...manifest, dependencies }, workspace, {
    exports: {
      ...Object.fromEntries(exports.map(([subpath, path]) => [subpath, entry(path)])),
      './package.json': './package.json',
    },
    files: ['dist'],
  });
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
}

/**
 * The dependencies that published modules import, and the types of those. Throws if one imports a package that is not a
 * dependency.
 * @param {{ dependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} manifest
 * @param {ReadonlySet<string>} imported
 */
function usedOf({ dependencies = {}, peerDependencies = {} }, imported) {
  const missing = [...imported].find((name) => (dependencies[name] ?? peerDependencies[name]) === undefined);
  if (missing !== undefined)
    throw new Error(`a published module imports ${missing}, which is not a dependency`);
  const isUsed = (/** @type {string} */ name) => imported.has(name.replace(/^@types\//, ''));
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => isUsed(name)));
}

/**
 * @param {string} path of a module from `source`
 * @param {{ source: string, compiled: string, target: string }} folders `target` is where its source would be
 */
async function copyCompiled(path, { source, compiled, target }) {
  const [from, to] = [join(compiled, path), target].map((each) => each.slice(0, -'.ts'.length));
  await writeFile(`${to}.js`, await readFile(`${from}.js`, 'utf8'));
  await writeFile(`${to}.js.map`, await withSource(`${from}.js.map`, source, path));
}

/**
 * @param {string} compiled
 * @param {string} target
 * @param {string} extension
 * @param {string} declared its declarations' extension
 */
async function copyDeclarations(compiled, target, extension, declared) {
  const [from, to] = [compiled, target].map((path) => path.slice(0, -extension.length) + declared);
  await writeFile(
    /** @type {string} */ (to),
    declarations(await readFile(/** @type {string} */ (from), 'utf8')),
  );
}

/** @param {string} path */
function entry(path) {
  const module = path.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1');
  return { types: `${module}.d.ts`, default: `${module}.js` };
}

/**
 * A source map that has the source in it, because the package does not.
 * @param {string} file
 * @param {string} source
 * @param {string} path of a module from `source`
 */
async function withSource(file, source, path) {
  const map = JSON.parse(await readFile(file, 'utf8'));
  return JSON.stringify({
    ...map,
    sourceRoot: undefined,
    sources: [relative(join('dist', dirname(path)), join('src', path))],
    sourcesContent: [await readFile(join(source, path), 'utf8')],
  });
}

/**
 * Declarations that import each other as `.js`. TypeScript rewrites extensions in code only, and a user's compiler
 * would look for the sources.
 * @param {string} text
 */
function declarations(text) {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  let rest = text;
  for (const { fileName, pos } of importedFiles.toReversed()) {
    // `pos` is before the quotation mark.
    const end = pos + 1 + fileName.length;
    if (/^\.{1,2}\/.*\.ts$/.test(fileName)) rest = `${rest.slice(0, end - 3)}.js${rest.slice(end)}`;
  }
  return rest;
}
