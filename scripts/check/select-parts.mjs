/** @typedef {import('./parts.mjs').Part} Part */

/**
 * The parts that arguments name, in their order, or all of them. What follows the names belongs to the last part.
 * @param {readonly Part[]} parts
 * @param {readonly string[]} args
 * @returns {readonly { part: Part, args: readonly string[] }[] | string} a text says what is wrong
 */
export function selectParts(parts, args) {
  if (args.length === 0) return parts.map((part) => ({ part, args: [] }));
  const known = new Map(parts.map((part) => [part.name, part]));
  const end = args.findIndex((arg) => !known.has(arg));
  const names = end < 0 ? args : args.slice(0, end);
  const rest = end < 0 ? [] : args.slice(end);
  const selected = names.flatMap((name) => known.get(name) ?? []);
  const last = selected.at(-1);
  const [first = '-'] = rest;
  if (last === undefined || !(first.startsWith('-') || last.takes !== undefined))
    return `unknown part: ${first}. The parts are ${[...known.keys()].join(', ')}`;
  return selected.map((part, at) => ({ part, args: at === selected.length - 1 ? rest : [] }));
}
