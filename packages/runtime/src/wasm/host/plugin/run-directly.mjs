/** @import { CallOfPlugin, Returned } from './call-plugin.mjs' */
import { extismNamespace } from './bridge.mjs';
import { extismOptions } from './extism-options.mjs';
import { userFunctions, userNamespace } from './user-functions.mjs';

/** What Extism would run when it makes an instance, before the budget is set. */
const beforeRun = ['_initialize', '_start', 'hs_init'];

/**
 * Whether Extism can make the instance: one of which nothing runs before its budget is set. Not of one that could ask
 * for HTTP, for which Extism would put a function of its own in the place of ours.
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
 * Runs a plug-in as Extism's own: nothing stands between the two.
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
  const functions = {
    [extismNamespace]: blocks.functions,
    ...(compiled.imports.has(userNamespace) && {
      [userNamespace]: ending.endedBy(userFunctions(blocks.store, invoke)),
    }),
  };
  const plugin = await createPlugin(
    { wasm: [{ module: compiled.module, name: 'main' }] },
    extismOptions(bounds, log, functions),
  );
  const skill = begin(await plugin.getInstance());
  // Extism takes no notice of what a function returns.
  const output = await plugin.call('ambit:run', input);
  return { output: output?.bytes(), returned: skill.call('ambit:returned') };
}
