/** @import { Engine } from './engine.mjs' */
/** @import { Modules } from './interpreter.mjs' */
import { thrownText } from '../thrown-text.mjs';
import { openInterpreter } from './interpreter.mjs';
import { modulesOf } from './sources.mjs';
import { withoutOurFrames } from './without-our-frames.mjs';

/**
 * A checked script: its entry, and the modules that it can import.
 *
 * @typedef {{ entry: string, modules: Modules }} CompiledScript
 */

/** Limits for checking a script. */
const checkBounds = { memoryBytes: 256 * 1024 * 1024, fuel: 50_000_000_000n, tableGrowth: 1000 };

/**
 * Checks a script. `files` are the importable files of the skill's folder, by relative path. The
 * entry and its static imports are parsed; a file that only `import()` names is parsed when it is
 * imported, and other files are never read.
 *
 * @param {Engine} engine
 * @param {{ entry: string, files: ReadonlyMap<string, Uint8Array> }} script
 * @returns {Promise<{ compiled: CompiledScript } | { problem: string }>} `problem` continues the
 *   entry's name
 */
export async function compileScript(engine, { entry, files }) {
  if (!files.has(entry) || entry.endsWith('.json'))
    return { problem: 'is not a .js or .mjs file of the skill' };
  const modules = modulesOf(files);
  try {
    const started = await engine.start(checkBounds);
    const error = openInterpreter(started, modulesToCheck(modules)).run(checkModule, checkSource(entry));
    return error?.startsWith(linked)
      ? { compiled: { entry, modules } }
      : { problem: `cannot be run: ${withoutOurFrames(error ?? '')}` };
  } catch (error) {
    return { problem: `cannot be parsed: ${thrownText(error)}` };
  }
}

const checkModule = 'ambit:check';
const endModule = 'ambit:end';
const linked = 'Linked';

/**
 * A module that parses and links everything but runs nothing: its first import throws.
 *
 * @param {string} entry
 */
function checkSource(entry) {
  return `import '${endModule}'; import main from ${JSON.stringify(`./${entry}`)};`;
}

/**
 * @param {Modules} modules
 * @returns {Modules}
 */
function modulesToCheck({ resolve, load }) {
  return {
    resolve: (importer, specifier) =>
      importer === checkModule && specifier === endModule ? endModule : resolve(importer, specifier),
    load: (name) => (name === endModule ? { source: `throw { name: '${linked}' };` } : load(name)),
  };
}
