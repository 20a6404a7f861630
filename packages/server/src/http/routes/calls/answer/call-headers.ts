import { waitSecondsMax } from '@ambit/api';
import { Refusal } from '../../../../errors/refusal.ts';

/** The supported preferences of a `Prefer` header (RFC 7240). */
export interface Preferences {
  respondAsync: boolean;
  /** Seconds; `undefined` if absent. */
  wait: number | undefined;
}

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

/**
 * Whether an `Accept` header names server-sent events and prefers them to JSON. Clients that accept anything
 * get JSON.
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
 * The key in an `Idempotency-Key` header: a string of draft-ietf-httpapi-idempotency-key-header,
 * `"8e03978e"`, or without quotes, as many clients send it. `undefined` without the header. Throws
 * `REQUEST_INVALID`.
 */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = typeof header === 'string' ? header.trim() : '';
  const [, quoted] = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(text) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? (/^[!#-+\--:<-~]*$/.test(text) ? text : '');
  if (key.length >= 1 && key.length <= 255) return key;
  throw new Refusal(
    'REQUEST_INVALID',
    'Idempotency-Key must be one string of 1 to 255 visible ASCII characters, preferably a UUID: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"',
  );
}
