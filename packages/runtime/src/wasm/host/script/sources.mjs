/** @import { Loaded, Modules } from './interpreter.mjs' */
import { readFileSync } from 'node:fs';
import { thrownText } from '../thrown-text.mjs';
import { hostModule, resolveImport } from './imports.mjs';

/** The module that a world begins with, and that gives a script what the host does for it. */
export const hostModuleSource = readFileSync(new URL('inside/ambit.mjs', import.meta.url), 'utf8');

/**
 * What a script can import: the files of its skill, and the host's module. A file is looked at when it is imported, so
 * that one that nobody imports need not be what its name says; and once, for all worlds.
 *
 * @param {ReadonlyMap<string, Uint8Array>} files
 * @returns {Modules}
 */
export function modulesOf(files) {
  /** @type {Map<string, Loaded>} */
  const looked = new Map();
  return {
    resolve(importer, specifier) {
      const found = resolveImport(importer, specifier);
      return 'name' in found ? found.name : `${noModule}${found.problem}`;
    },
    load(name) {
      if (name === hostModule) return { source: hostModuleSource };
      if (name.startsWith(noModule)) return notThere(name.slice(noModule.length));
      const bytes = files.get(name);
      if (bytes === undefined) return notThere(`there is no ${name} in the skill's folder`);
      const loaded = looked.get(name) ?? sourceOf(name, bytes);
      looked.set(name, loaded);
      return loaded;
    },
  };
}

/** The engine keeps a string from resolving to loading: before a reason stands what no path of a file begins with. */
const noModule = '../';

/**
 * @param {string} message
 * @returns {Loaded}
 */
function notThere(message) {
  return { error: { name: 'ReferenceError', message } };
}

/**
 * A file as the engine reads it, or why it cannot.
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
  // The engine reads up to the first one.
  if (text.includes('\0')) return problem('has a NUL character in it');
  if (!path.endsWith('.json')) return { source: new TextEncoder().encode(text) };
  try {
    // By the parser, since JavaScript takes some keys of an object otherwise than JSON does.
    const source = `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(text)))})`;
    return { source: new TextEncoder().encode(source) };
  } catch (error) {
    return problem(`is not JSON: ${thrownText(error)}`);
  }
}
