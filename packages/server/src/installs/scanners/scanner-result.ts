import { hash } from 'node:crypto';
import { canonicalJson, type InspectionFinding, safeText } from '@ambit/core/internal';

/** What one scanner found in a skill. */
export interface ScannerResult {
  scanner: string;
  /** From the worst. A scanner that fails is a finding. */
  findings: readonly InspectionFinding[];
}

/** The digest of results, as the lock file lists it. */
export function scanDigest(results: readonly ScannerResult[]): string {
  return `sha256:${hash('sha256', canonicalJson(results))}`;
}

/** How to run the scanners on a skill again. Ids of installed skills have a namespace. */
export function scanAgain(id: string): string {
  return id.includes(':') ? `ambit skills update ${safeText(id)}` : 'repeat the review';
}
