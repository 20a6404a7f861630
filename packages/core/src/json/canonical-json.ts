/**
 * The canonical text of a JSON value (RFC 8785): keys in the order of their UTF-16 code units,
 * numbers and strings as in ECMAScript, no blanks. Omits `undefined` members, like
 * `JSON.stringify`.
 *
 * `textOf` returns the canonical text of an object or array that has been serialized before. Throws a
 * `TypeError` for a lone surrogate, a number that is not finite, and anything but data.
 */
export function canonicalJson(value: unknown, textOf: KnownText = noneKnown): string {
  if (typeof value === 'string') return canonicalString(value);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== 'object') throw hasNone(value);
  const known = textOf(value);
  if (known !== undefined) return known;
  return Array.isArray(value)
    ? canonicalArray(value, textOf)
    : canonicalObject(value as Record<string, unknown>, textOf);
}

type KnownText = (value: object) => string | undefined;

const noneKnown: KnownText = () => undefined;

/** Characters that need escaping, and all surrogates, because they may be lone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
const notPlain = /[\u0000-\u001f"\\\ud800-\udfff]/;

function canonicalString(value: string): string {
  // Every event has dozens of strings, and nearly all need no escaping.
  if (!notPlain.test(value)) return `"${value}"`;
  if (value.isWellFormed()) return JSON.stringify(value);
  throw hasNone(value);
}

function canonicalArray(values: readonly unknown[], textOf: KnownText): string {
  let text = '';
  for (const value of values) text += `${text === '' ? '' : ','}${canonicalJson(value, textOf)}`;
  return `[${text}]`;
}

function canonicalObject(value: Record<string, unknown>, textOf: KnownText): string {
  // An object with sorted keys would put keys that look like numbers first.
  let text = '';
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member !== undefined)
      text += `${text === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(member, textOf)}`;
  }
  return `{${text}}`;
}

/** Most objects have sorted keys already, and comparing neighbors costs less than sorting. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return keys.sort();
  return keys;
}

function hasNone(value: unknown): TypeError {
  return new TypeError(`${String(value).slice(0, 100)} has no canonical JSON`);
}
