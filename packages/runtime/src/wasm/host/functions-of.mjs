/** How many names a refusal has, and how long each of them is at most. */
const namesMax = 20;
const nameCharactersMax = 60;

/** What metering adds, and what the tools of plug-ins call by themselves. */
const notForCallers = /^(?:ambit:.*|_initialize|_start|hs_init|__.*|malloc|free)$/;

/**
 * Those exported functions that a sidecar could name, each short and printable.
 *
 * @param {readonly string[]} functions
 */
export function callableNames(functions) {
  return functions
    .filter((name) => !notForCallers.test(name))
    .map((name) => JSON.stringify(name.slice(0, nameCharactersMax)).slice(1, -1));
}

/**
 * The same of a module, in words.
 *
 * @param {WebAssembly.Module} module
 */
export function functionsOf(module) {
  const functions = WebAssembly.Module.exports(module).filter(({ kind }) => kind === 'function');
  const names = callableNames(functions.map(({ name }) => name));
  if (names.length === 0) return 'it exports no function that could be called';
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  return `it exports ${names.slice(0, namesMax).join(', ')}${more}; name one with run.function in its ambit.yaml`;
}
