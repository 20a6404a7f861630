import { Refusal } from '../problem/refusal.ts';

/**
 * The key in an `Idempotency-Key` header: a string of draft-ietf-httpapi-idempotency-key-header,
 * `"8e03978e"`, or without quotes, as many clients send it. `undefined` without the header. Throws
 * `REQUEST_INVALID`.
 */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const given = typeof header === 'string' ? header.trim() : '';
  const [, quoted] = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(given) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? (/^[!#-+\--:<-~]*$/.test(given) ? given : '');
  if (key.length >= 1 && key.length <= 255) return key;
  throw new Refusal(
    'REQUEST_INVALID',
    'Idempotency-Key must be one string of 1 to 255 visible ASCII characters, preferably a UUID: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"',
  );
}
