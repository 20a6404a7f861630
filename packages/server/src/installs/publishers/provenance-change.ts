import type { Provenance } from './provenance.ts';

/** How the signer of a version differs from the one known before, in a sentence; `null`: it does not. */
export function provenanceChange(
  before: Pick<Provenance, 'publisher' | 'identity'>,
  after: Pick<Provenance, 'publisher' | 'identity'>,
): string | null {
  if (before.publisher === after.publisher && before.identity === after.identity) return null;
  if (after.publisher === null)
    return `weaker provenance: ${before.publisher} signed the version before, and no publisher signs this one`;
  if (before.publisher === null) return `now signed by ${after.publisher}; the version before was not signed`;
  if (before.publisher !== after.publisher)
    return `another publisher: ${before.publisher} signed the version before, and ${after.publisher} signs this one`;
  return `another signer of ${after.publisher}: ${before.identity} signed the version before, and ${after.identity} signs this one`;
}
