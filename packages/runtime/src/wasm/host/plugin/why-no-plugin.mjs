import { wasiNamespace } from '../wasi/wasi-functions.mjs';
import { whyNotLinked } from '../why-not-linked.mjs';
import { extismFunctions, extismNamespace } from './bridge.mjs';
import { userFunctionNames, userNamespace } from './user-functions.mjs';

/**
 * Says why a module is not a plug-in that can be called here, naming everything that it imports and does not get;
 * `undefined` when it is one.
 *
 * @param {WebAssembly.Module} module
 * @returns {string | undefined}
 */
export function whyNoPlugin(module) {
  const notLinked = whyNotLinked(module, isGiven);
  if (notLinked !== undefined) return notLinked;
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
