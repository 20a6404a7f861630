import { functionsOf } from '../functions-of.mjs';
import { wasiNamespace } from '../wasi/wasi-functions.mjs';
import { whyNotLinked } from '../why-not-linked.mjs';
import { extismFunctions, extismNamespace } from './bridge.mjs';
import { userFunctionNames, userNamespace } from './user-functions.mjs';

/**
 * Says why a module is not a plug-in that can be called here, naming everything that it imports and does not get;
 * `undefined` when it is one.
 *
 * @param {WebAssembly.Module} module
 * @param {string} called
 * @returns {string | undefined}
 */
export function whyNoPlugin(module, called) {
  const notLinked = whyNotLinked(module, isGiven);
  if (notLinked !== undefined) return notLinked;
  const found = WebAssembly.Module.exports(module).find(({ name }) => name === called);
  if (found === undefined) return `does not export ${called}; ${functionsOf(module)}`;
  return found.kind === 'function' ? undefined : `exports ${called} as a ${found.kind}, not as a function`;
}

/** @param {string} from @param {string} name */
function isGiven(from, name) {
  if (from === extismNamespace) return extismFunctions.has(name);
  // What of WASI there is not answers so.
  return from === wasiNamespace || (from === userNamespace && userFunctionNames.has(name));
}
