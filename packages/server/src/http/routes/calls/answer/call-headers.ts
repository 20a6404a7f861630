import { Refusal } from '../../../problem/refusal.ts';

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

/**
 * Whether an `Accept` header asks for server-sent events by their name; whoever takes anything gets JSON. One that is
 * refused with `q=0`, or that comes after JSON in what is preferred, does not.
 */
export function wantsEvents(header: string | undefined): boolean {
  const events = qualityOf(header, 'text/event-stream');
  return events > 0 && events >= qualityOf(header, 'application/json');
}

function qualityOf(header: string | undefined, type: string): number {
  for (const each of (header ?? '').split(',')) {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return Number(quality) || 0;
  }
  return 0;
}

/**
 * The key in an `Idempotency-Key` header: a string as draft-ietf-httpapi-idempotency-key-header has it, `"8e03978e"`, or
 * the same without its quotes, as many send it. `undefined` where there is no header. Throws `REQUEST_INVALID`.
 */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const given = typeof header === 'string' ? header.trim() : '';
  const [, quoted] = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(given) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? (/^[!#-+\--:<-~]*$/.test(given) ? given : '');
  if (key.length >= 1 && key.length <= 255) return key;
  throw new Refusal(
    'REQUEST_INVALID',
    'Idempotency-Key is one string of 1 to 255 visible ASCII characters, best a UUID: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"',
  );
}
