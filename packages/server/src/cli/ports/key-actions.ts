import type { KeyRecord, KeyRequest } from '../../auth/key-record.ts';
import type { Config } from '../../config/config.ts';

/** The actions of `ambit key`. They work on the data directory, whether a daemon runs or not. */
export interface KeyActions {
  /** Creates a key. Rejects with `USAGE_INVALID` if the name was ever used, or with `KEY_UNUSABLE`. */
  create(config: Config, request: KeyRequest): Promise<Omit<ListedKey, 'status'> & { key: string }>;
  /** Every key, including expired and revoked ones, in order of creation. Rejects with `KEY_UNUSABLE`. */
  list(config: Config): Promise<readonly ListedKey[]>;
  /** Rejects with `USAGE_INVALID` if no key has that name, or with `KEY_UNUSABLE`. */
  revoke(config: Config, name: string): Promise<{ name: string; revokedAt: string }>;
}

/** A key in a listing, without the key itself or its digest. */
export interface ListedKey extends Omit<KeyRecord, 'sha256' | 'createdAt'> {
  status: 'good' | 'expired' | 'revoked';
  /** Absent for the key of the first start, which has its own file. */
  createdAt?: string;
}
