import type { Provenance } from './provenance.ts';

/** Explains in a sentence how the signer of a version differs from the one known before; `null`: it does not. */
export function provenanceChange(
  before: Pick<Provenance, 'publisher' | 'identity'>,
  after: Pick<Provenance, 'publisher' | 'identity'>,
): string | null {
  if (before.publisher === after.publisher && before.identity === after.identity) return null;
  if (after.publisher === null)
    return `weaker provenance: ${before.publisher} signed the previous version, and no publisher signed this one`;
  if (before.publisher === null)
    return `now signed by ${after.publisher}; the previous version was not signed`;
  if (before.publisher !== after.publisher)
    return `publisher changed: ${before.publisher} signed the previous version, and ${after.publisher} signed this one`;
  return `signer of ${after.publisher} changed: ${before.identity} signed the previous version, and ${after.identity} signed this one`;
}
