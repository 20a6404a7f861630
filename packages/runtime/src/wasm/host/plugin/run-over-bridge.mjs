/** @import { CallContext } from '@extism/extism' */
/** @import { MeteredInstance } from '../metered-instance.mjs' */
/** @import { CallOfPlugin, CompiledPlugin, Returned } from './call-plugin.mjs' */
import { GuestMemory } from '../wasi/guest-memory.mjs';
import { loggedLines, readableBytes } from '../wasi/streams.mjs';
import { wasiFunctions, wasiNamespace } from '../wasi/wasi-functions.mjs';
import { bridgeNamespace, extismNamespace } from './bridge.mjs';
import { extismOptions } from './extism-options.mjs';
import { httpFunctions } from './http-functions.mjs';
import { userFunctions, userNamespace } from './user-functions.mjs';

/**
 * Runs a plug-in through the bridge, if Extism cannot instantiate it, or only by running its code
 * before its budget is set. Its WASI output goes to the log.
 * @param {CallOfPlugin} call
 * @returns {Promise<Returned>}
 */
export async function runOverBridge(call) {
  const { createPlugin, compiled, input, bounds, log, invoke, ending, blocks, begin } = call;
  const printed = compiled.imports.has(wasiNamespace) ? printing(call) : undefined;
  /** @type {WebAssembly.ModuleImports} */
  let extism = {};
  let returned = 0;
  const run = (/** @type {CallContext} */ context) => {
    /** @type {WebAssembly.Imports} */
    const imports = { [extismNamespace]: { ...extism, ...http(call, context) } };
    if (printed !== undefined) imports[wasiNamespace] = printed.functions;
    if (compiled.imports.has(userNamespace)) {
      imports[userNamespace] = ending.endedBy(inContext(context, userFunctions(blocks.store, invoke)));
    }
    const skill = begin(new WebAssembly.Instance(compiled.module, imports));
    printed?.memory.attach(skill.exports['memory']);
    initialise(compiled, skill);
    returned = skill.call(compiled.called) ?? 0;
  };
  const functions = { [extismNamespace]: blocks.functions, [bridgeNamespace]: { run } };
  try {
    const plugin = await createPlugin(
      { wasm: [{ module: compiled.bridge, name: 'main' }] },
      extismOptions(bounds, log, functions),
    );
    extism = (await plugin.getInstance()).exports;
    const output = await plugin.call('run', input);
    return { output: output?.bytes(), returned };
  } finally {
    printed?.flush();
  }
}

/**
 * WASI for a plug-in: output goes to the log, and stdin is empty.
 *
 * @param {CallOfPlugin} call
 */
function printing({ compiled: { module }, bounds: { name, env, uses }, log, ending }) {
  const lines = loggedLines(log);
  const memory = new GuestMemory();
  const stdin = readableBytes(new Uint8Array());
  const world = { args: [name], env, stdin, stdout: lines, stderr: lines, uses };
  return { memory, flush: lines.flush, functions: ending.endedBy(wasiFunctions(module, memory, world)) };
}

/**
 * @param {CallOfPlugin} call
 * @param {CallContext} context
 */
function http({ blocks, invoke, ending }, context) {
  return ending.endedBy(httpFunctions(context, blocks.store, invoke));
}

/**
 * @param {CallContext} context
 * @param {ReturnType<typeof userFunctions>} functions
 */
function inContext(context, functions) {
  return Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, run.bind(null, context)]));
}

/**
 * Initializes a plug-in as Extism's own runtimes do: the start function, then `_initialize`, then
 * `_start` in a module without WASI, where it only sets variables, and then the Haskell runtime.
 *
 * @param {CompiledPlugin} compiled
 * @param {MeteredInstance} skill
 */
function initialise({ imports }, skill) {
  skill.start();
  skill.call('_initialize');
  if (!imports.has(wasiNamespace)) skill.call('_start');
  skill.call('hs_init');
}
