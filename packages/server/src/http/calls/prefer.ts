/** What of a `Prefer` header (RFC 7240) is understood here. */
export interface Preferences {
  respondAsync: boolean;
  /** Seconds; `undefined`: it names none. */
  wait: number | undefined;
}

/** Longer than this nobody is kept waiting, whatever they prefer. */
export const waitSecondsMax = 60;

/** Reads it. A preference that is not understood is as if it were not there (section 2); of one that is there twice the first holds. */
export function readPreferences(header: string | string[] | undefined): Preferences {
  const preferences = new Map<string, string>();
  for (const each of [header ?? []].flat().join(',').split(',')) {
    // What comes after a semicolon is a parameter, and none is understood.
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
