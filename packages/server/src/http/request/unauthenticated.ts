import { Refusal } from '../../errors/refusal.ts';

/** A request without a valid key or session. The challenge follows RFC 6750, section 3: `error` is its end. */
export function unauthenticated(message: string, error: string): Refusal {
  return new Refusal('UNAUTHENTICATED', message, {
    headers: { 'www-authenticate': `Bearer realm="ambit"${error}` },
  });
}
