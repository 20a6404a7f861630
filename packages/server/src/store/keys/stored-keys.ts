import { KeyFileError } from '@ambit/client/node';
import { thrownText } from '@ambit/core/outcome';
import { describeIssues } from '@ambit/core/skill';
import { KeyRecord } from '../../auth/key-record.ts';
import { type KeyStore, keysMax } from '../../auth/key-store.ts';
import type { keyOperations, StoredKey } from '../operations/keys.ts';
import type { OperationResult } from '../operations.ts';

type KeyOperations = typeof keyOperations;

/** A database with keys: a store, or the file of a data directory. */
export interface KeyDatabase {
  run<Name extends keyof KeyOperations>(
    name: Name,
    ...given: Parameters<KeyOperations[Name]>
  ): Promise<OperationResult<Name>>;
}

/** The keys of a database. `unusable` begins the message about a damaged one, and says what to do. */
export function storedKeys(database: KeyDatabase, unusable: string): KeyStore {
  return {
    list: async () => recordsOf((await database.run('listKeys')).keys, unusable),
    async add(record) {
      const answer = await database.run('addKey', toStored(record));
      if (answer === undefined) return { status: 'added' };
      return answer === 'full' ? { status: 'full' } : { status: 'taken', by: recordOf(answer, unusable) };
    },
    async revoke(name, at) {
      const revoked = await database.run('revokeKey', name, at);
      return revoked && recordOf(revoked, unusable);
    },
  };
}

/** The columns of a key. */
function toStored({ name, sha256, revokedAt, ...rest }: KeyRecord): StoredKey {
  return { name, sha256, record: JSON.stringify(rest), revoked_at: revokedAt ?? null };
}

/** The records of keys. Throws a `KeyFileError` that begins with `unusable` and names the damaged key. */
export function recordsOf(keys: readonly StoredKey[], unusable: string): readonly KeyRecord[] {
  if (keys.length > keysMax) throw new KeyFileError(`${unusable}: it has more than ${keysMax} keys`);
  return keys.map((key) => recordOf(key, unusable));
}

function recordOf({ name, sha256, record, revoked_at: revokedAt }: StoredKey, unusable: string): KeyRecord {
  const damaged = (why: string, cause?: unknown): KeyFileError =>
    new KeyFileError(`${unusable}: the key ${JSON.stringify(name)} is damaged: ${why}`, { cause });
  let rest: object;
  try {
    rest = JSON.parse(record);
  } catch (error) {
    throw damaged(thrownText(error), error);
  }
  const value = revokedAt === null ? { ...rest, name, sha256 } : { ...rest, name, sha256, revokedAt };
  const parsed = KeyRecord.safeParse(value);
  if (parsed.success) return parsed.data;
  throw damaged(describeIssues(parsed.error, KeyRecord, value).join('; '));
}
