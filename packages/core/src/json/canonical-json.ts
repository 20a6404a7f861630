/**
 * The canonical text of a JSON value (RFC 8785): keys in the order of their UTF-16 code units, numbers and strings as in
 * ECMAScript, no blanks. Omits `undefined` members, like `JSON.stringify`. Throws a `TypeError` for a lone surrogate, a number
 * that is not finite, and anything but data.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value as Record<string, unknown>);
  const isData = typeof value === 'string' ? value.isWellFormed() : hasJson(value);
  if (!isData) throw new TypeError(`${String(value).slice(0, 100)} has no canonical JSON`);
  return JSON.stringify(value);
}

function canonicalObject(value: Record<string, unknown>): string {
  // An object with sorted keys would put keys that look like numbers first.
  const keys = Object.keys(value).sort();
  const members = keys.filter((key) => value[key] !== undefined);
  return `{${members.map((key) => `${canonicalJson(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}

function hasJson(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || Number.isFinite(value);
}
