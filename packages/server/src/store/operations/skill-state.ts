import { stateBounds } from '@ambit/core/execute';
import { rowsOf, sql, type Transaction } from '../statement.ts';

/** A key, as JSON, and its next value: JSON, or `null` to remove it. `bytes` are of the key and the value as the skill has them. */
export interface StateChange {
  key: string;
  value: string | null;
  bytes: number;
}

type Sums = Record<'keys' | 'bytes', number>;

export const stateOperations = {
  /** The value of a key, as JSON. */
  *stateValue(skill: string, key: string): Transaction<string | undefined> {
    const [found] = yield* rowsOf<{ value: string }>(
      sql`SELECT value FROM state WHERE skill = ${skill} AND key = ${key}`,
    );
    return found?.value;
  },

  /** All keys and values of a skill, as JSON. */
  *stateValues(skill: string): Transaction<readonly { key: string; value: string }[]> {
    return yield* rowsOf(sql`SELECT key, value FROM state WHERE skill = ${skill} ORDER BY key`);
  },

  /** Makes all changes or none: returns the limit that they would exceed, if any. Each key is in one change. */
  *changeState(skill: string, changes: readonly StateChange[]): Transaction<keyof Sums | undefined> {
    // The row excludes other changes of this skill until the commit.
    const [sums] = yield* rowsOf<Sums>(
      sql`INSERT INTO state_sizes (skill, keys, bytes) VALUES (${skill}, 0, 0)
        ON CONFLICT (skill) DO UPDATE SET keys = state_sizes.keys RETURNING keys, bytes`,
    );
    const before = yield* storedBytes(skill, changes);
    let { keys, bytes } = sums as Sums;
    for (const change of changes) {
      const stored = before.get(change.key);
      keys += Number(change.value !== null) - Number(stored !== undefined);
      bytes += (change.value === null ? 0 : change.bytes) - (stored ?? 0);
    }
    if (keys > stateBounds.keys) return 'keys';
    if (bytes > stateBounds.bytes) return 'bytes';
    yield* write(skill, changes);
    yield sql`UPDATE state_sizes SET keys = ${keys}, bytes = ${bytes} WHERE skill = ${skill}`;
    return undefined;
  },
};

/** The stored size of each key that changes, and possibly of others. */
function* storedBytes(
  skill: string,
  changes: readonly StateChange[],
): Transaction<ReadonlyMap<string, number>> {
  const [first] = changes;
  const found = yield* rowsOf<{ key: string; bytes: number }>(
    first !== undefined && changes.length === 1
      ? sql`SELECT key, bytes FROM state WHERE skill = ${skill} AND key = ${first.key}`
      : sql`SELECT key, bytes FROM state WHERE skill = ${skill}`,
  );
  return new Map(found.map(({ key, bytes }) => [key, bytes]));
}

function* write(skill: string, changes: readonly StateChange[]): Transaction<void> {
  for (const { key, value, bytes } of changes)
    if (value === null) yield sql`DELETE FROM state WHERE skill = ${skill} AND key = ${key}`;
    else
      yield sql`INSERT INTO state (skill, key, bytes, value) VALUES (${skill}, ${key}, ${bytes}, ${value})
        ON CONFLICT (skill, key) DO UPDATE SET bytes = excluded.bytes, value = excluded.value`;
}
