/** The maximum number of names in a refusal, and the maximum length of each. */
const namesMax = 20;
const nameCharactersMax = 60;

/** Functions that metering adds, and that plug-in toolchains call themselves. */
const notForCallers = /^(?:ambit:.*|_initialize|_start|hs_init|__.*|malloc|free)$/;

/**
 * The exported functions that a sidecar could name, each short and printable.
 *
 * @param {readonly string[]} functions
 */
export function callableNames(functions) {
  return functions
    .filter((name) => !notForCallers.test(name))
    .map((name) => JSON.stringify(name.slice(0, nameCharactersMax)).slice(1, -1));
}

/**
 * A module's callable functions, as text.
 *
 * @param {WebAssembly.Module} module
 */
export function functionsOf(module) {
  const functions = WebAssembly.Module.exports(module).filter(({ kind }) => kind === 'function');
  const names = callableNames(functions.map(({ name }) => name));
  if (names.length === 0) return 'it exports no callable function';
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  return `it exports ${names.slice(0, namesMax).join(', ')}${more}; name one with run.function in its ambit.yaml`;
}
