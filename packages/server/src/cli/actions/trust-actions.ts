import type { TrustedKind } from '@ambit/client/node';
import type { AllowedGroup } from '../../trust/allowed-by.ts';

/** What the `ambit trust` command does beside parsing, asking and printing. */
export interface TrustActions {
  /**
   * What is found from a folder, absolute, and what it would allow. Rejects with `USAGE_INVALID` when nothing is found, and
   * with a `ConfigError` for a configuration with mistakes.
   */
  review(folder: string): Promise<TrustReview>;
  /** Trusts all of a review, just as it was shown. Rejects with `TRUST_STORE_UNUSABLE`. */
  accept(review: TrustReview): Promise<void>;
  /** Everything that is trusted, by path. Rejects alike. */
  list(): Promise<readonly ListedTrust[]>;
  /** Trusts no longer what is trusted at a path, absolute, or in the folder there; resolves to that. Rejects alike. */
  revoke(path: string): Promise<readonly Pick<ListedTrust, 'kind' | 'path'>[]>;
}

/** A configuration and a data directory that nobody named. `untrusted` says why one does not count yet. */
export interface TrustReview {
  configuration: {
    path: string;
    sha256: string;
    untrusted: string | null;
    allows: readonly AllowedGroup[];
  } | null;
  /** `null` when there is none yet. `holds` are its files that matter. */
  dataDir: { path: string; untrusted: string | null; holds: readonly string[] } | null;
}

export interface ListedTrust {
  kind: TrustedKind;
  path: string;
  trustedAt: string;
  status: 'trusted' | 'changed' | 'gone';
}
