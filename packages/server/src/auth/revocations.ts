import type { KeyRecord } from './key-record.ts';

/** What tells the calls of a key that it was revoked. */
export interface Revocations {
  /** Aborts when the key is revoked, or is not there any more; the same signal for as long as it is. That it expires is no end of what runs. */
  of(record: KeyRecord): AbortSignal;
  /** Aborts those of the keys that are not among `records`, or are as revoked ones. */
  keep(records: readonly KeyRecord[]): void;
}

/** Nothing is revoked yet. */
export function revocations(): Revocations {
  /** By the digest of its key: a name can be given to another by hand. */
  const told = new Map<string, { name: string; revoked: AbortController }>();
  return {
    of({ sha256, name }) {
      const known = told.get(sha256) ?? { name, revoked: new AbortController() };
      told.set(sha256, known);
      return known.revoked.signal;
    },
    keep(records) {
      const good = new Set(
        records.filter(({ revokedAt }) => revokedAt === undefined).map(({ sha256 }) => sha256),
      );
      for (const [sha256, { name, revoked }] of told) {
        if (good.has(sha256)) continue;
        told.delete(sha256);
        revoked.abort(new Error(`the key ${name} was revoked`));
      }
    },
  };
}
