import type { KeyRecord, KeyRequest } from '../../auth/key-record.ts';
import type { Config } from '../../config/config.ts';

/** What the `ambit key` commands do beside parsing and printing: all on the data directory, whether a daemon runs or not. */
export interface KeyActions {
  /** Makes a key. Rejects with `USAGE_INVALID` when its name was ever given, and with `KEY_UNUSABLE`. */
  create(config: Config, wish: KeyRequest): Promise<Omit<ListedKey, 'status'> & { key: string }>;
  /** Every key that there is or was, in the order in which they were made. Rejects with `KEY_UNUSABLE`. */
  list(config: Config): Promise<readonly ListedKey[]>;
  /** Rejects with `USAGE_INVALID` when there is none of that name, and with `KEY_UNUSABLE`. */
  revoke(config: Config, name: string): Promise<{ name: string; revokedAt: string }>;
}

/** A key as a listing shows it: neither itself nor its digest. */
export interface ListedKey extends Omit<KeyRecord, 'sha256' | 'createdAt'> {
  status: 'good' | 'expired' | 'revoked';
  /** Absent for the key of the first start, which is in a file of its own. */
  createdAt?: string;
}
