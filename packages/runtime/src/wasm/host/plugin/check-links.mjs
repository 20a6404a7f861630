/** @import { CompiledPlugin } from './call-plugin.mjs' */
import { section, text, vector, wasmHeader } from '../wasm-section.mjs';
import { extismNamespace } from './bridge.mjs';

/**
 * Throws a `LinkError` for a plug-in whose function, memory or imports have the wrong types, and
 * any error of instantiation. Needed once for each module, because JavaScript functions, which
 * Extism provides, link with any type.
 *
 * @param {CompiledPlugin} compiled
 */
export function checkLinks({ module, called, bridge }) {
  const typed = new WebAssembly.Instance(bridge, nothingFor(bridge)).exports;
  const imports = nothingFor(module);
  imports[extismNamespace] = { ...imports[extismNamespace], ...typed };
  const skill = new WebAssembly.Instance(module, imports);
  const problems = [[i32], []].map((results) => whyNotTyped(typeCheck(module, called, results), skill));
  if (problems.every((problem) => problem !== undefined)) throw problems[0];
}

const i32 = 0x7f;

/**
 * @param {WebAssembly.Module} typed
 * @param {WebAssembly.Instance} skill
 */
function whyNotTyped(typed, { exports }) {
  try {
    new WebAssembly.Instance(typed, { skill: exports });
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Functions that are never called: nothing runs before the meter's `ambit:start`.
 *
 * @param {WebAssembly.Module} module
 */
function nothingFor(module) {
  /** @type {Record<string, WebAssembly.ModuleImports>} */
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: () => undefined };
  }
  return imports;
}

/**
 * A module that links with a plug-in only if its function takes nothing and returns `results`, and
 * its exported memory, if any, is 32-bit. As text:
 *
 *     (import "skill" "run" (func (result i32)))
 *     (import "skill" "memory" (memory 0))
 *
 * @param {WebAssembly.Module} skill
 * @param {string} called
 * @param {readonly number[]} results
 */
function typeCheck(skill, called, results) {
  const hasMemory = WebAssembly.Module.exports(skill).some(
    ({ name, kind }) => name === 'memory' && kind === 'memory',
  );
  const imports = [
    [...text('skill'), ...text(called), 0x00, 0],
    ...(hasMemory ? [[...text('skill'), ...text('memory'), 0x02, 0x00, 0]] : []),
  ];
  return new WebAssembly.Module(
    Uint8Array.from([
      ...wasmHeader,
      ...section(1, vector([[0x60, 0, results.length, ...results]])),
      ...section(2, vector(imports)),
    ]),
  );
}
