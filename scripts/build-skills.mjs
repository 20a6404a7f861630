// Builds the bundled WASM skills from their sources in packages/. With --check, reports whether the
// committed files are current. The compiler, the bundler and their inputs are pinned exactly, so
// equal sources give equal bytes.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The ids of the skills built from AssemblyScript: those with a package `skill-<id>-as`. Sources
 * are not in the skill's folder, which contains only what runs and never changes through an
 * install.
 * @returns {Promise<string[]>}
 */
export function wasmSkills() {
  return builtFrom(/^skill-(.+)-as$/);
}

/**
 * The ids of the skills bundled from JavaScript modules: those with a package `skill-<id>-js`.
 * @returns {Promise<string[]>}
 */
export function scriptSkills() {
  return builtFrom(/^skill-(.+)-js$/);
}

/** @param {RegExp} folder */
async function builtFrom(folder) {
  const folders = await readdir(join(root, 'packages'));
  return folders.flatMap((name) => folder.exec(name)?.[1] ?? []).sort();
}

/**
 * Returns the path at which a skill's compiled module is committed.
 * @param {string} id
 */
export function artefactPath(id) {
  return join(root, 'skills', id, 'skill.wasm');
}

/**
 * Returns the path at which a script skill's bundle is committed.
 * @param {string} id
 */
export function scriptPath(id) {
  return join(root, 'skills', id, 'index.js');
}

/**
 * Compiles a skill with the compiler of its package, without writing it. Throws the compiler's
 * messages.
 * @param {string} id
 * @returns {Promise<Uint8Array>}
 */
export async function buildSkill(id) {
  const source = join(root, 'packages', `skill-${id}-as`);
  // By path, because the package exports `assemblyscript/asc` only to `import`.
  const compiler = createRequire(join(source, 'package.json')).resolve('assemblyscript/dist/asc.js');
  const { default: asc } = await import(pathToFileURL(compiler).href);
  /** @type {Uint8Array | undefined} */
  let bytes;
  const { error, stderr } = await asc.main(
    [
      'index.ts',
      '--baseDir',
      source,
      '--outFile',
      'skill.wasm',
      '--config',
      'node_modules/@ambit/as-sdk/asconfig.json',
    ],
    {
      writeFile: (/** @type {string} */ _name, /** @type {Uint8Array} */ contents) => {
        bytes = contents;
      },
    },
  );
  if (error || bytes === undefined) throw new Error(`${id} does not compile\n${stderr}`, { cause: error });
  return bytes;
}

/**
 * Bundles a script skill with its imports into one module, without writing it. The bundle begins
 * with notices of other authors from the package's `notice.txt`.
 * @param {string} id
 * @returns {Promise<Uint8Array>}
 */
export async function buildScript(id) {
  const source = join(root, 'packages', `skill-${id}-js`);
  const bundle = await rolldown({
    input: join(source, 'index.mjs'),
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'default'] },
    // Omits comments with paths of this machine.
    experimental: { attachDebugInfo: 'none' },
    // Provided by the host at run time.
    external: ['ambit'],
    // An unresolved module would otherwise remain as an import.
    onLog: (_level, { message }) => {
      throw new Error(`${id} cannot be bundled: ${message}`);
    },
  });
  const banner = await readFile(join(source, 'notice.txt'), 'utf8');
  const { output } = await bundle.generate({
    format: 'esm',
    banner: `/*\n${banner}*/`,
    comments: { annotation: false, jsdoc: false },
  });
  await bundle.close();
  const [{ code }, ...others] = output;
  if (others.length > 0) throw new Error(`${id} was bundled into more than one file`);
  return new TextEncoder().encode(code);
}

/** @param {string} path */
async function readIfExists(path) {
  try {
    return await readFile(path);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function main() {
  for (const id of await wasmSkills()) await put(artefactPath(id), await buildSkill(id));
  for (const id of await scriptSkills()) await put(scriptPath(id), await buildScript(id));
}

/**
 * @param {string} path
 * @param {Uint8Array} bytes
 */
async function put(path, bytes) {
  const shown = relative(root, path);
  const committed = await readIfExists(path);
  if (committed !== undefined && Buffer.compare(bytes, committed) === 0) {
    console.log(`${shown} is current (${bytes.byteLength} bytes)`);
  } else if (process.argv.includes('--check')) {
    console.error(`${shown} does not match its source: run node scripts/build-skills.mjs and commit it`);
    process.exitCode = 1;
  } else {
    await writeFile(path, bytes);
    console.log(`${shown} written (${bytes.byteLength} bytes)`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
