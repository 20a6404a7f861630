import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';
import type { KeySource } from '../../auth/key-store.ts';
import { repeat } from '../../repeat.ts';
import type { StoredKey } from '../operations/keys.ts';
import { type KeyDatabase, recordsOf } from './stored-keys.ts';

/** Keys that are read in the background. */
export interface PolledKeys extends KeySource {
  requireFresh(): void;
  close(): void;
}

export interface PolledKeysOptions {
  database: KeyDatabase;
  /** Begins the message about a damaged key, and says what to do. */
  unusable: string;
  /** The pause between two polls. */
  intervalMs?: number;
  /** The time without a successful poll after which the keys count as out of date. */
  maxAgeMs?: number;
  /** Milliseconds from any moment on. */
  now?(): number;
}

/**
 * The keys of a database over the network, polled each second, for the daemon. Resolves after the first poll: if it fails,
 * there are no keys, and they are out of date.
 */
export async function polledKeys({
  database,
  unusable,
  intervalMs = 1000,
  maxAgeMs = 30_000,
  now = () => performance.now(),
}: PolledKeysOptions): Promise<PolledKeys> {
  let snapshot: { number: number; keys: readonly StoredKey[] } = { number: 0, keys: [] };
  let revision: number | undefined;
  let freshAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  const poll = async (): Promise<void> => {
    const startedAt = now();
    try {
      if ((await database.run('keysRevision')) !== revision) {
        const listed = await database.run('listKeys');
        revision = listed.revision;
        snapshot = { number: snapshot.number + 1, keys: listed.keys };
      }
      freshAt = startedAt;
    } catch (error) {
      failure = error;
      // It may come back as another database, restored from a backup, with the same revision.
      revision = undefined;
    }
  };
  await poll();
  const close = repeat(poll, { intervalMs });
  return {
    stamp: () => String(snapshot.number),
    read: () => recordsOf(snapshot.keys, unusable),
    requireFresh() {
      if (now() - freshAt <= maxAgeMs) return;
      throw new SkillError(
        'STORE_UNAVAILABLE',
        `the keys have not been read for ${maxAgeMs / 1000} s, so only the first key is accepted: ${thrownText(failure)}`,
        { cause: failure },
      );
    },
    close,
  };
}
