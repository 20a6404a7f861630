/** The maximum number of imports in a refusal. */
const namesMax = 20;

/**
 * Returns which imports of a module are unavailable; `undefined` if all are available. Only
 * functions are.
 *
 * @param {WebAssembly.Module} module
 * @param {(from: string, name: string) => boolean} isGiven
 * @returns {string | undefined}
 */
export function whyNotLinked(module, isGiven) {
  const unavailable = WebAssembly.Module.imports(module).filter(
    ({ module: from, name, kind }) => kind !== 'function' || !isGiven(from, name),
  );
  if (unavailable.length === 0) return undefined;
  const names = unavailable
    .slice(0, namesMax)
    .map(({ module: from, name, kind }) => `${from} ${name} (${kind})`);
  return `imports functions or values that WASM skills do not have: ${names.join(', ')}`;
}
