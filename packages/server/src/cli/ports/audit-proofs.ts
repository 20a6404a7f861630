import type { EventReceipt, Receipt, ReceiptCheck, Signed, Verification } from '@ambit/core/audit';
import type { Config } from '../../config/config.ts';

/** The actions of `ambit audit verify`, `receipt`, `verify-receipt` and `rotate-key`. Paths are absolute. */
export interface AuditProofs {
  /**
   * Verifies a whole log. Rejects with `USAGE_INVALID` if the key cannot be read, and with `AUDIT_UNAVAILABLE` if the log or
   * the checkpoints cannot.
   */
  verify(config: Config, request: VerifyRequest): Promise<Verification>;
  /**
   * A newly signed receipt of an execution, by its id, or of an event outside calls, by its sequence; `undefined` if there is
   * none. Rejects with `AUDIT_UNAVAILABLE`.
   */
  receipt(config: Config, id: string): Promise<Signed<Receipt | EventReceipt> | undefined>;
  /**
   * Checks a receipt with a public key; if files are named, also against a log, and who signed its tree head with the certificate
   * of a cluster's authority. Rejects like `verify`.
   */
  checkReceipt(request: {
    text: string;
    publicKey: string;
    log?: string | undefined;
    authority?: string | undefined;
  }): Promise<ReceiptCheck>;
  /** Replaces the signing key. Rejects with `AUDIT_UNAVAILABLE`, also while a daemon uses the data directory. */
  rotateKey(config: Config, options: { isLost: boolean }): Promise<{ from: string; to: string }>;
}

export interface VerifyRequest {
  /** A copy of a log; absent: the log in the data directory. */
  log?: string;
  /** A file with a public key in PEM; absent: the key beside the log, if any. */
  publicKey?: string;
  /** A file with checkpoints; absent: the configured one, for the configuration's own log. */
  checkpoints?: string;
  onProgress(read: number, of: number): void;
  signal: AbortSignal;
}
