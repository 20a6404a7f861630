/** @import { CallOfPlugin, Returned } from './call-plugin.mjs' */
import { extismNamespace } from './bridge.mjs';
import { extismOptions } from './extism-options.mjs';
import { userFunctions, userNamespace } from './user-functions.mjs';

/** Exports that Extism runs when it instantiates a module, before the budget is set. */
const beforeRun = ['_initialize', '_start', 'hs_init'];

/**
 * Whether Extism can instantiate the module: nothing of it runs before its budget is set. Not for a
 * module with HTTP, for which Extism would replace Ambit's function with its own.
 *
 * @param {WebAssembly.Module} module
 */
export function runsDirectly(module) {
  const given = WebAssembly.Module.imports(module).every(
    ({ module: from, name }) =>
      (from === extismNamespace && name !== 'http_request') || from === userNamespace,
  );
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  return given && exported.has('ambit:run') && !beforeRun.some((name) => exported.has(name));
}

/**
 * Runs a plug-in in Extism, without a bridge.
 *
 * @param {CallOfPlugin} call
 * @returns {Promise<Returned>}
 */
export async function runDirectly({
  createPlugin,
  compiled,
  input,
  bounds,
  log,
  invoke,
  ending,
  blocks,
  begin,
}) {
  /** @type {Parameters<typeof extismOptions>[2]} */
  const functions = { [extismNamespace]: blocks.functions };
  if (compiled.imports.has(userNamespace))
    functions[userNamespace] = ending.endedBy(userFunctions(blocks.store, invoke));
  const plugin = await createPlugin(
    { wasm: [{ module: compiled.module, name: 'main' }] },
    extismOptions(bounds, log, functions),
  );
  const skill = begin(await plugin.getInstance());
  // Extism ignores what a function returns.
  const output = await plugin.call('ambit:run', input);
  return { output: output?.bytes(), returned: skill.call('ambit:returned') };
}
