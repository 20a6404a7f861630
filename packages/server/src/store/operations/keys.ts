import { keysMax } from '../../auth/key-store.ts';
import { type Row, rowsOf, sql, type Transaction } from '../statement.ts';

/** A key as it is stored. */
export interface StoredKey extends Row {
  name: string;
  sha256: string;
  /** JSON: the rest of the record, without the time of revocation. */
  record: string;
  revoked_at: string | null;
}

/** The operations on keys. */
export const keyOperations = {
  /** Every key in order of creation, with the revision that they have at least. */
  *listKeys(): Transaction<{ revision: number; keys: readonly StoredKey[] }> {
    const revision = yield* keysRevision();
    const keys = yield* rowsOf<StoredKey>(
      sql`SELECT name, sha256, record, revoked_at FROM keys ORDER BY position`,
    );
    return { revision, keys };
  },
  /** A number that grows with each change. */
  keysRevision,
  /** Adds a key. Returns the key that has its name or digest, or `full`, if it changes nothing. */
  *addKey(key: StoredKey): Transaction<StoredKey | 'full' | undefined> {
    const refused = yield* whyNotAdded(key);
    if (refused !== undefined) return refused;
    const position = yield* nextRevision();
    // From here on other changes wait for this one. One of them may have been faster.
    const late = yield* whyNotAdded(key);
    if (late !== undefined) return late;
    yield* insert(key, position);
    return undefined;
  },
  /** Returns the key as it is afterwards; `undefined` if it does not exist. */
  *revokeKey(name: string, at: string): Transaction<StoredKey | undefined> {
    const [key] = yield* rowsOf<StoredKey>(
      sql`SELECT name, sha256, record, revoked_at FROM keys WHERE name = ${name}`,
    );
    if (key === undefined || key.revoked_at !== null) return key;
    yield* nextRevision();
    const [revoked] = yield* rowsOf<StoredKey>(
      sql`UPDATE keys SET revoked_at = coalesce(revoked_at, ${at}) WHERE name = ${name}
          RETURNING name, sha256, record, revoked_at`,
    );
    return revoked;
  },
  /** Adds keys to a database that has none. */
  *copyKeys(keys: readonly StoredKey[]): Transaction<void> {
    for (const key of keys) yield* insert(key, yield* nextRevision());
  },
};

function* keysRevision(): Transaction<number> {
  const [row] = yield* rowsOf<{ revision: number }>(
    sql`SELECT revision FROM revisions WHERE subject = 'keys'`,
  );
  return row?.revision ?? 0;
}

/** Counts a change. Locks the row, so that the changes of keys follow one another. */
function* nextRevision(): Transaction<number> {
  const [row] = yield* rowsOf<{ revision: number }>(
    sql`INSERT INTO revisions (subject, revision) VALUES ('keys', 1)
        ON CONFLICT (subject) DO UPDATE SET revision = revisions.revision + 1 RETURNING revision`,
  );
  return row?.revision ?? 0;
}

function* whyNotAdded({ name, sha256 }: StoredKey): Transaction<StoredKey | 'full' | undefined> {
  const [same] = yield* rowsOf<StoredKey>(
    sql`SELECT name, sha256, record, revoked_at FROM keys WHERE name = ${name} OR sha256 = ${sha256}`,
  );
  if (same !== undefined) return same;
  const [all] = yield* rowsOf<{ count: number }>(sql`SELECT count(*) AS count FROM keys`);
  return (all?.count ?? 0) < keysMax ? undefined : 'full';
}

function* insert({ name, sha256, record, revoked_at }: StoredKey, position: number): Transaction<void> {
  yield sql`INSERT INTO keys (name, sha256, record, revoked_at, position)
            VALUES (${name}, ${sha256}, ${record}, ${revoked_at}, ${position})`;
}
