/**
 * The one text of a JSON value (RFC 8785): keys in the order of their UTF-16 code units, numbers and strings as
 * ECMAScript writes them, no blanks. A member that is `undefined` is left out, as in `JSON.stringify`.
 *
 * Throws a `TypeError` for what has no such text: a lone surrogate, a number that is not finite, anything but data.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return canonicalString(value);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return canonicalArray(value);
  if (typeof value === 'object') return canonicalObject(value as Record<string, unknown>);
  throw hasNone(value);
}

/** All that is not written as it is stands in here, and with it the surrogates, which may be alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
const notPlain = /[\u0000-\u001f"\\\ud800-\udfff]/;

function canonicalString(value: string): string {
  // Every event has dozens of strings, and nearly all are plain.
  if (!notPlain.test(value)) return `"${value}"`;
  if (value.isWellFormed()) return JSON.stringify(value);
  throw hasNone(value);
}

function canonicalArray(values: readonly unknown[]): string {
  let text = '';
  for (const value of values) text += `${text === '' ? '' : ','}${canonicalJson(value)}`;
  return `[${text}]`;
}

function canonicalObject(value: Record<string, unknown>): string {
  // Not through an object with its keys in order: in those, keys that look like numbers come first.
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined)
      text += `${text === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function hasNone(value: unknown): TypeError {
  return new TypeError(`${String(value).slice(0, 100)} has no canonical JSON`);
}
