// Builds the WASM skills from their AssemblyScript sources, or with --check tells whether the committed bytes
// are what the sources give. The compiler's version is pinned exactly, and its flags are in one file, so
// equal sources give equal bytes.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The ids of the skills that are built from AssemblyScript: those with a package `skill-<id>-as`. Sources do not lie
 * in the skill's folder, which holds what runs and nothing that an installation would change.
 * @returns {Promise<string[]>}
 */
export async function wasmSkills() {
  const folders = await readdir(join(root, 'packages'));
  return folders.flatMap((name) => /^skill-(.+)-as$/.exec(name)?.[1] ?? []).sort();
}

/**
 * Where a skill's compiled module is committed.
 * @param {string} id
 */
export function artefactPath(id) {
  return join(root, 'skills', id, 'skill.wasm');
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
  const check = process.argv.includes('--check');
  for (const id of await wasmSkills()) {
    const path = artefactPath(id);
    const shown = relative(root, path);
    const bytes = await buildSkill(id);
    const committed = await readIfThere(path);
    if (committed !== undefined && Buffer.compare(bytes, committed) === 0) {
      console.log(`${shown} is what its source gives (${bytes.byteLength} bytes)`);
    } else if (check) {
      console.error(`${shown} is not what its source gives: run node scripts/build-skills.mjs and commit it`);
      process.exitCode = 1;
    } else {
      await writeFile(path, bytes);
      console.log(`${shown} written (${bytes.byteLength} bytes)`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
