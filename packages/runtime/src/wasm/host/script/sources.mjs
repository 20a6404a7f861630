/** @import { Loaded, Modules } from './interpreter.mjs' */
import { readFileSync } from 'node:fs';
import { thrownText } from '../thrown-text.mjs';
import { hostModule, resolveImport } from './imports.mjs';

/** The first module of a world, which gives a script its host functions. */
export const hostModuleSource = readFileSync(new URL('inside/ambit.mjs', import.meta.url), 'utf8');

/**
 * The modules that a script can import: the files of its skill, and the host's module. Each file is
 * checked when it is first imported, once for all worlds, so files that are never imported may be
 * invalid.
 *
 * @param {ReadonlyMap<string, Uint8Array>} files
 * @returns {Modules}
 */
export function modulesOf(files) {
  /** @type {Map<string, Loaded>} */
  const loadedFiles = new Map();
  return {
    resolve(importer, specifier) {
      const found = resolveImport(importer, specifier);
      return 'name' in found ? found.name : `${noModule}${found.problem}`;
    },
    load(name) {
      if (name === hostModule) return { source: hostModuleSource };
      if (name.startsWith(noModule)) return missing(name.slice(noModule.length));
      const bytes = files.get(name);
      if (bytes === undefined) return missing(`${name} does not exist in the skill's folder`);
      const loaded = loadedFiles.get(name) ?? sourceOf(name, bytes);
      loadedFiles.set(name, loaded);
      return loaded;
    },
  };
}

/**
 * The engine passes a string from `resolve` to `load`. This prefix, with which no file's path
 * begins, marks an error message.
 */
const noModule = '../';

/**
 * @param {string} message
 * @returns {Loaded}
 */
function missing(message) {
  return { error: { name: 'ReferenceError', message } };
}

/**
 * A file's source for the engine, or why it is invalid.
 *
 * @param {string} path
 * @param {Uint8Array} bytes
 * @returns {Loaded}
 */
function sourceOf(path, bytes) {
  const problem = (/** @type {string} */ what) => ({
    error: { name: 'SyntaxError', message: `${path} ${what}` },
  });
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return problem('is not UTF-8');
  }
  // The engine would stop reading at a NUL.
  if (text.includes('\0')) return problem('contains a NUL character');
  if (!path.endsWith('.json')) return { source: new TextEncoder().encode(text) };
  try {
    // Parsed with JSON.parse, because JavaScript treats some object keys differently than JSON.
    const source = `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(text)))})`;
    return { source: new TextEncoder().encode(source) };
  } catch (error) {
    return problem(`is not JSON: ${thrownText(error)}`);
  }
}
