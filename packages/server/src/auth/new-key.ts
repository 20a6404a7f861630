import { randomBytes } from 'node:crypto';

/** A new key: `ambit_` and 32 random bytes in base64url. */
export function newKey(): string {
  return `ambit_${randomBytes(32).toString('base64url')}`;
}
