import { functionsOf } from '../functions-of.mjs';
import { wasiNamespace } from '../wasi/wasi-functions.mjs';
import { whyNotLinked } from '../why-not-linked.mjs';
import { extismFunctions, extismNamespace } from './bridge.mjs';
import { userFunctionNames, userNamespace } from './user-functions.mjs';

/**
 * Returns why a module is not a callable plug-in, with every import that is unavailable;
 * `undefined` if it is one.
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
  // Unknown WASI functions exist and return an error.
  return from === wasiNamespace || (from === userNamespace && userFunctionNames.has(name));
}
