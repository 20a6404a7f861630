/** @import { Engine } from './engine.mjs' */
/** @import { Modules } from './interpreter.mjs' */
import { messageOf, withoutOurFrames } from './error-text.mjs';
import { openInterpreter } from './interpreter.mjs';
import { modulesOf, sourceOf } from './sources.mjs';

/**
 * A script that was looked at: its entry and, by their paths, the sources of all that it can import.
 *
 * @typedef {{ entry: string, sources: Map<string, Uint8Array> }} CompiledScript
 */

/** What looking at a script may take. */
const checkBounds = { memoryBytes: 256 * 1024 * 1024, fuel: 50_000_000_000n, tableGrowth: 1000 };

/**
 * Looks at a script: `files` are those of the skill's folder that can be imported, by their paths relative to it. The
 * entry and all that it imports statically are parsed; a file that only `import()` names is parsed when it is called for.
 *
 * @param {Engine} engine
 * @param {{ entry: string, files: ReadonlyMap<string, Uint8Array> }} script
 * @returns {Promise<{ compiled: CompiledScript } | { problem: string }>} `problem` goes on from the entry's name
 */
export async function compileScript(engine, { entry, files }) {
  /** @type {Map<string, Uint8Array>} */
  const sources = new Map();
  for (const [path, bytes] of files) {
    const source = sourceOf(path, bytes);
    if (typeof source === 'string') return { problem: `cannot be run: ${path} ${source}` };
    sources.set(path, source);
  }
  if (!sources.has(entry) || entry.endsWith('.json'))
    return { problem: 'is no .js or .mjs file of the skill' };

  try {
    const started = await engine.start(checkBounds);
    const error = openInterpreter(started, modulesToCheck(sources)).run(checkModule, checkSource(entry));
    return error?.startsWith(linked)
      ? { compiled: { entry, sources } }
      : { problem: `cannot be run: ${withoutOurFrames(error ?? '')}` };
  } catch (error) {
    return { problem: `cannot be parsed: ${messageOf(error)}` };
  }
}

const checkModule = 'ambit:check';
const endModule = 'ambit:end';
const linked = 'Linked';

/**
 * A module that has everything parsed and linked, and nothing of it run: of what it imports the first comes first, and
 * throws.
 *
 * @param {string} entry
 */
function checkSource(entry) {
  return `import '${endModule}'; import main from ${JSON.stringify(`./${entry}`)};`;
}

/**
 * @param {Map<string, Uint8Array>} sources
 * @returns {Modules}
 */
function modulesToCheck(sources) {
  const modules = modulesOf(sources);
  return {
    ...modules,
    resolve: (importer, specifier) =>
      importer === checkModule && specifier === endModule ? endModule : modules.resolve(importer, specifier),
    sourceOf: (name) => (name === endModule ? `throw { name: '${linked}' };` : modules.sourceOf(name)),
  };
}
