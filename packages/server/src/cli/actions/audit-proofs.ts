import type { Receipt, ReceiptCheck, Signed, Verification } from '@ambit/core/internal';
import type { Config } from '../../config/config.ts';

/** What the `ambit audit` commands that prove something do beside parsing and printing. Paths are absolute. */
export interface AuditProofs {
  /**
   * Reads a whole log again. Rejects with `USAGE_INVALID` for a key that cannot be read, and with `AUDIT_UNAVAILABLE` for
   * a log or checkpoints that cannot.
   */
  verify(config: Config, request: VerifyRequest): Promise<Verification>;
  /** The receipt of an execution, signed now; `undefined` where there is none. Rejects with `AUDIT_UNAVAILABLE`. */
  receipt(config: Config, executionId: string): Promise<Signed<Receipt> | undefined>;
  /** Checks a receipt's text with a public key, and against a log where one is named. Rejects as `verify` does. */
  checkReceipt(request: { text: string; publicKey: string; log?: string }): Promise<ReceiptCheck>;
  /** Has another key sign from here on. Rejects with `AUDIT_UNAVAILABLE`, also while a daemon has the data directory. */
  rotateKey(config: Config, options: { isLost: boolean }): Promise<{ from: string; to: string }>;
}

export interface VerifyRequest {
  /** A copy of a log; absent: the one of the data directory. */
  log?: string;
  /** A file with a public key in PEM; absent: the one beside the log, if there is one. */
  publicKey?: string;
  /** A file with checkpoints; absent: the one that the configuration names, for its own log. */
  checkpoints?: string;
  onProgress(read: number, of: number): void;
  signal: AbortSignal;
}
