import { functionsOf } from './functions-of.mjs';
import { extismNamespace } from './plugin/bridge.mjs';
import { wasiNamespace } from './wasi/wasi-functions.mjs';

/**
 * What a module is, by what it imports and exports: an Extism plug-in or a WASI command, or in words why it is neither.
 *
 * What imports Extism's functions is a plug-in. Anything else is one when it exports the function that is called and no
 * `_start`, and a command when it exports `_start`, also beside a `run`: without Extism's functions `run` could neither
 * have an input nor give an output.
 *
 * @param {WebAssembly.Module} module
 * @param {string} [called] what a sidecar names as the function of a plug-in; `run` when absent
 * @returns {{ kind: 'plugin' } | { kind: 'command' } | { problem: string }}
 */
export function kindOfEntry(module, called) {
  const exports = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const imports = WebAssembly.Module.imports(module);
  if (imports.some((wanted) => wanted.module === extismNamespace)) return { kind: 'plugin' };
  if (exports.has('_start')) {
    return called === undefined
      ? { kind: 'command' }
      : { problem: 'is a WASI command, which starts at _start; take run.function out of its ambit.yaml' };
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
