import type { TrustedKind } from '@ambit/client/node';
import type { AllowedGroup } from '../../config/file/allowed-by.ts';

/** The actions of `ambit trust`. */
export interface TrustActions {
  /**
   * Finds the configuration and data directory for an absolute folder, and what they would allow. Rejects with `USAGE_INVALID`
   * if there are none, and with a `ConfigError` for a configuration with mistakes.
   */
  review(folder: string): Promise<TrustReview>;
  /**
   * Trusts everything in a review, with exactly the reviewed content. Rejects with `REVIEW_STALE` if the keys of the data
   * directory have changed since, and with `TRUST_STORE_UNUSABLE`.
   */
  accept(review: TrustReview): Promise<void>;
  /** Everything that is trusted, sorted by path. Rejects as `accept` does. */
  list(): Promise<readonly ListedTrust[]>;
  /** Ends trust in an absolute path and in the folder there. Resolves to what was revoked; rejects as `accept` does. */
  revoke(path: string): Promise<readonly Pick<ListedTrust, 'kind' | 'path'>[]>;
}

/** A configuration and a data directory that Ambit found. `untrusted` says why Ambit does not use one yet. */
export interface TrustReview {
  /** Names what is shown: the content of the configuration, and the data directory with its keys. Different content has another name. */
  review: string;
  configuration: {
    path: string;
    sha256: string;
    untrusted: string | null;
    allows: readonly AllowedGroup[];
  } | null;
  /** `null` if it does not exist. */
  dataDir: {
    path: string;
    untrusted: string | null;
    /** The way in which other users can change it; `null`: they cannot. */
    exposed: string | null;
    /** The names of its keys, log and state. */
    holds: readonly string[];
    /** The SHA-256 of each file with keys, by name. */
    keys: Readonly<Record<string, string>>;
  } | null;
}

export interface ListedTrust {
  kind: TrustedKind;
  path: string;
  trustedAt: string;
  status: 'trusted' | 'changed' | 'gone';
}
