/** The module that a plug-in imports Extism's functions from. */
export const extismNamespace = 'extism:host/env';

/** What Extism provides there (@extism/extism 2.0.0-rc13). */
const extismFunctions = new Set([
  ...['alloc', 'free', 'length', 'length_unsafe', 'load_u8', 'load_u64', 'store_u8', 'store_u64'],
  ...[
    'input_offset',
    'input_length',
    'input_load_u8',
    'input_load_u64',
    'output_set',
    'error_set',
    'error_get',
  ],
  ...['config_get', 'var_get', 'var_set', 'http_request', 'http_status_code', 'http_headers'],
  ...['log_trace', 'log_debug', 'log_info', 'log_warn', 'log_error', 'get_log_level'],
]);

/**
 * Says why a module is not a plug-in that can be called here, naming everything that it imports and does not get;
 * `undefined` when it is one.
 *
 * @param {WebAssembly.Module} module
 * @returns {string | undefined}
 */
export function whyRefused(module) {
  const strange = WebAssembly.Module.imports(module).filter(
    ({ module: from, name, kind }) =>
      from !== extismNamespace || kind !== 'function' || !extismFunctions.has(name),
  );
  if (strange.length > 0) {
    const names = strange.slice(0, 20).map(({ module: from, name, kind }) => `${from} ${name} (${kind})`);
    const hint = strange.some(({ module: from }) => from.startsWith('wasi'))
      ? '; there is no WASI, so build it without'
      : '';
    return `imports what WASM skills are not given: ${names.join(', ')}${hint}`;
  }
  const run = WebAssembly.Module.exports(module).find(({ name }) => name === 'run');
  if (run === undefined) return 'does not export run';
  return run.kind === 'function' ? undefined : `exports run as a ${run.kind}, not as a function`;
}
