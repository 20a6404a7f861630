/** How many imports a refusal names. */
const namesMax = 20;

/**
 * Which of a module's imports it does not get, in words; `undefined` when it gets them all. Only functions are given.
 *
 * @param {WebAssembly.Module} module
 * @param {(from: string, name: string) => boolean} isGiven
 * @returns {string | undefined}
 */
export function whyNotLinked(module, isGiven) {
  const strange = WebAssembly.Module.imports(module).filter(
    ({ module: from, name, kind }) => kind !== 'function' || !isGiven(from, name),
  );
  if (strange.length === 0) return undefined;
  const names = strange.slice(0, namesMax).map(({ module: from, name, kind }) => `${from} ${name} (${kind})`);
  return `imports what WASM skills are not given: ${names.join(', ')}`;
}
