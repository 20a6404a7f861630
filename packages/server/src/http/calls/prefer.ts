/** The supported preferences of a `Prefer` header (RFC 7240). */
export interface Preferences {
  respondAsync: boolean;
  /** Seconds; `undefined` if absent. */
  wait: number | undefined;
}

/** The longest wait, even if the client prefers a longer one. */
export const waitSecondsMax = 60;

/** Reads a `Prefer` header. Ignores unknown preferences (section 2). The first of repeated ones applies. */
export function readPreferences(header: string | string[] | undefined): Preferences {
  const preferences = new Map<string, string>();
  for (const each of [header ?? []].flat().join(',').split(',')) {
    // Parameters after a semicolon are ignored.
    const [name = '', value = ''] = (each.split(';', 1)[0] ?? '').split('=', 2).map((part) => part.trim());
    const known = name.toLowerCase();
    if (!preferences.has(known)) preferences.set(known, value.replace(/^"(.*)"$/, '$1'));
  }
  const wait = preferences.get('wait') ?? '';
  return {
    respondAsync: preferences.has('respond-async'),
    wait: /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), waitSecondsMax) : undefined,
  };
}
