// Builds the bundled WASM skills from their sources in packages/, or with --check tells whether the committed files are
// what the sources give. The versions of the compiler, the bundler and what they take in are pinned exactly, so equal
// sources give equal bytes.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The ids of the skills that are built from AssemblyScript: those with a package `skill-<id>-as`. Sources do not lie
 * in the skill's folder, which holds what runs and nothing that an installation would change.
 * @returns {Promise<string[]>}
 */
export function wasmSkills() {
  return builtFrom(/^skill-(.+)-as$/);
}

/**
 * The ids of the skills that are bundled from JavaScript modules: those with a package `skill-<id>-js`.
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
 * Where a skill's compiled module is committed.
 * @param {string} id
 */
export function artefactPath(id) {
  return join(root, 'skills', id, 'skill.wasm');
}

/**
 * Where a script skill's one file is committed.
 * @param {string} id
 */
export function scriptPath(id) {
  return join(root, 'skills', id, 'index.js');
}

/**
 * Compiles a skill with the compiler that its own package names; writes nothing. Throws with the compiler's
 * messages.
 * @param {string} id
 * @returns {Promise<Uint8Array>}
 */
export async function buildSkill(id) {
  const source = join(root, 'packages', `skill-${id}-as`);
  // By its path, since the package offers `assemblyscript/asc` to `import` only.
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
 * Puts a script skill and what it imports into one module; writes nothing.
 * Notices of other authors are in the package's `notice.txt` and stand at the head.
 * @param {string} id
 * @returns {Promise<Uint8Array>}
 */
export async function buildScript(id) {
  const source = join(root, 'packages', `skill-${id}-js`);
  const bundle = await rolldown({
    input: join(source, 'index.mjs'),
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'default'] },
    // No comments on where each part lay on this machine.
    experimental: { attachDebugInfo: 'none' },
    // The host's, which is there when it runs.
    external: ['ambit'],
    // What cannot be found would be left as an import.
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
  if (others.length > 0) throw new Error(`${id} comes to more than one file`);
  return new TextEncoder().encode(code);
}

/** @param {string} path */
async function readIfThere(path) {
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
  const committed = await readIfThere(path);
  if (committed !== undefined && Buffer.compare(bytes, committed) === 0) {
    console.log(`${shown} is what its source gives (${bytes.byteLength} bytes)`);
  } else if (process.argv.includes('--check')) {
    console.error(`${shown} is not what its source gives: run node scripts/build-skills.mjs and commit it`);
    process.exitCode = 1;
  } else {
    await writeFile(path, bytes);
    console.log(`${shown} written (${bytes.byteLength} bytes)`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
