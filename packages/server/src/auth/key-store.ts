import { KeyFileError } from '@ambit/client/node';
import type { KeyRecord } from './key-record.ts';

/** The most keys of a store, revoked ones included. */
export const keysMax = 10_000;

/** The keys besides the first one. Rejects with a `KeyFileError`, or with `STORE_UNAVAILABLE`. */
export interface KeyStore {
  /** Every key, in order of creation. */
  list(): Promise<readonly KeyRecord[]>;
  /** Adds a key, unless its name was ever used or the store is full. */
  add(record: KeyRecord): Promise<AddedKey>;
  /** Revokes a key. Resolves to its record, which has the time of the first revocation; `undefined` if it does not exist. */
  revoke(name: string, at: string): Promise<KeyRecord | undefined>;
}

export type AddedKey = { status: 'added' } | { status: 'taken'; by: KeyRecord } | { status: 'full' };

/** The source from which a running daemon reads the keys. Nothing in it waits for long. */
export interface KeySource {
  /** Identifies the state of the keys. Cheap: each request asks. */
  stamp(): string | undefined;
  /**
   * The keys, at least as new as the last stamp. Throws a `KeyFileError` if they are unusable, and a `KeysLockedError` if
   * they can be read again soon.
   */
  read(): readonly KeyRecord[];
  /** Throws `STORE_UNAVAILABLE` if the keys may be out of date; absent: they never are. */
  requireFresh?(): void;
}

/** Another process is changing the keys at this moment. */
export class KeysLockedError extends KeyFileError {}
