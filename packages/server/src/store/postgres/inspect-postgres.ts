import type { SkillError } from '@ambit/core';
import { schemaVersion } from '../migrations.ts';
import { rowsOf, sql, type Transaction } from '../statement.ts';
import { storeError } from '../store-error.ts';
import { openConnections, schemaName } from './connections.ts';
import { postgresAdvice, readOnlyAdvice } from './postgres-advice.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { serverVersion } from './prepare-schema.ts';
import { runTransaction } from './transaction.ts';

/** The state of a database for `ambit doctor`. */
export interface PostgresState {
  /** The version of the server, such as `18.4`. */
  version: string;
  /** `undefined` before the first start. */
  schemaVersion: number | undefined;
  /** The time of a transaction that reads, without connecting. */
  milliseconds: number;
}

/** Connects beside a running daemon, and changes nothing. Rejects with `STORE_UNAVAILABLE`. */
export async function inspectPostgres(settings: PostgresSettings): Promise<PostgresState> {
  const refused = (error: unknown): SkillError =>
    storeError(settings.target.shown, postgresAdvice(error), error);
  try {
    const connections = await openConnections({ ...settings, poolSize: 1 });
    try {
      const found = await runTransaction(await connections.pooled(), inspecting());
      const start = performance.now();
      await runTransaction(await connections.pooled(), reading());
      return { ...found, milliseconds: performance.now() - start };
    } finally {
      await connections.close();
    }
  } catch (error) {
    throw refused(error);
  }
}

function* inspecting(): Transaction<Pick<PostgresState, 'version' | 'schemaVersion'>> {
  const version = yield* serverVersion();
  const [session] = yield* rowsOf<{ setting: string }>(
    sql`SELECT current_setting('transaction_read_only') AS setting`,
  );
  if (session?.setting === 'on') throw new Error(readOnlyAdvice);
  const [schema] = yield* rowsOf<{ migrations: string | null }>(
    sql`SELECT to_regclass(${`${schemaName}.migrations`}) AS migrations`,
  );
  if (schema?.migrations == null) return { version, schemaVersion: undefined };
  yield* schemaVersion('keys');
  return { version, schemaVersion: yield* schemaVersion('store') };
}

function* reading(): Transaction<void> {
  yield sql`SELECT 1`;
}
