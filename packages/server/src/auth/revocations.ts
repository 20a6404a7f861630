import type { KeyRecord } from './key-record.ts';

/** The revocation signals of keys. */
export interface Revocations {
  /**
   * Aborts when the key is revoked or removed; the same signal until then. Expiry does not abort
   * it.
   */
  of(record: KeyRecord): AbortSignal;
  /** Aborts the signals of keys that are revoked or missing in `records`. */
  retain(records: readonly KeyRecord[]): void;
}

/** Starts without revocations. */
export function revocations(): Revocations {
  /** By digest: the operator can give a name to another key by editing the file. */
  const signals = new Map<string, { name: string; revoked: AbortController }>();
  return {
    of({ sha256, name }) {
      const known = signals.get(sha256) ?? { name, revoked: new AbortController() };
      signals.set(sha256, known);
      return known.revoked.signal;
    },
    retain(records) {
      const good = new Set(
        records.filter(({ revokedAt }) => revokedAt === undefined).map(({ sha256 }) => sha256),
      );
      for (const [sha256, { name, revoked }] of signals) {
        if (good.has(sha256)) continue;
        signals.delete(sha256);
        revoked.abort(new Error(`the key ${name} was revoked`));
      }
    },
  };
}
