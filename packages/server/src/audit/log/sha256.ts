import { createHash } from 'node:crypto';
import type { Sha256 } from '@ambit/core/audit';

/** SHA-256 in the form that core needs. */
export const sha256: Sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
