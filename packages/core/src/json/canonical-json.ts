/**
 * The canonical text of a JSON value (RFC 8785): keys in the order of their UTF-16 code units,
 * numbers and strings as in ECMAScript, no blanks. Omits `undefined` members, like
 * `JSON.stringify`.
 *
 * Throws a `TypeError` for a lone surrogate, a number that is not finite, and anything but data.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return canonicalString(value);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return canonicalArray(value);
  if (typeof value === 'object') return canonicalObject(value as Record<string, unknown>);
  throw hasNone(value);
}

/** Characters that need escaping, and all surrogates, because they may be lone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
const notPlain = /[\u0000-\u001f"\\\ud800-\udfff]/;

function canonicalString(value: string): string {
  // Every event has dozens of strings, and nearly all need no escaping.
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
  // An object with sorted keys would put keys that look like numbers first.
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
