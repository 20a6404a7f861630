import { wasiNamespace } from '../wasi/wasi-functions.mjs';
import { extismFunctions, extismNamespace } from './bridge.mjs';
import { userFunctionNames, userNamespace } from './user-functions.mjs';

const namesMax = 20;

/**
 * Says why a module is not a plug-in that can be called here, naming everything that it imports and does not get;
 * `undefined` when it is one.
 *
 * @param {WebAssembly.Module} module
 * @returns {string | undefined}
 */
export function whyNoPlugin(module) {
  const strange = WebAssembly.Module.imports(module).filter(
    ({ module: from, name, kind }) => kind !== 'function' || !isGiven(from, name),
  );
  if (strange.length > 0) {
    const names = strange
      .slice(0, namesMax)
      .map(({ module: from, name, kind }) => `${from} ${name} (${kind})`);
    return `imports what WASM skills are not given: ${names.join(', ')}`;
  }
  const run = WebAssembly.Module.exports(module).find(({ name }) => name === 'run');
  if (run === undefined) return 'does not export run';
  return run.kind === 'function' ? undefined : `exports run as a ${run.kind}, not as a function`;
}

/** @param {string} from @param {string} name */
function isGiven(from, name) {
  if (from === extismNamespace) return extismFunctions.has(name);
  // What of WASI there is not answers so.
  return from === wasiNamespace || (from === userNamespace && userFunctionNames.has(name));
}
