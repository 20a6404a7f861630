import { functionsOf } from './functions-of.mjs';
import { extismNamespace } from './plugin/bridge.mjs';
import { wasiNamespace } from './wasi/wasi-functions.mjs';

/**
 * The kind of a module, by its imports and exports: an Extism plug-in, a WASI command, or why it is
 * neither.
 *
 * A module that imports Extism's functions is a plug-in. Any other module is a command if it
 * exports `_start`, and a plug-in if it exports the called function instead. `_start` wins over
 * `run`, because without Extism's functions `run` could have neither input nor output.
 *
 * @param {WebAssembly.Module} module
 * @param {string} [called] the plug-in function that the sidecar names; `run` if absent
 * @returns {{ kind: 'plugin' } | { kind: 'command' } | { problem: string }}
 */
export function kindOfEntry(module, called) {
  const exports = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const imports = WebAssembly.Module.imports(module);
  if (imports.some((wanted) => wanted.module === extismNamespace)) return { kind: 'plugin' };
  if (exports.has('_start')) {
    return called === undefined
      ? { kind: 'command' }
      : { problem: 'is a WASI command, which starts at _start; remove run.function from its ambit.yaml' };
  }
  const name = called ?? 'run';
  if (exports.has(name)) return { kind: 'plugin' };
  if (exports.has('_initialize') && imports.some((wanted) => wanted.module === wasiNamespace)) {
    return {
      problem: `is a WASI reactor that does not export ${name}; build it as a command, or export ${name}`,
    };
  }
  return {
    problem: `exports neither ${name}, as an Extism plug-in does, nor _start, as a WASI command does; ${functionsOf(module)}`,
  };
}
