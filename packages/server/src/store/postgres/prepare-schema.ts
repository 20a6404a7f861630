import { setTimeout as delay } from 'node:timers/promises';
import { migrate, schemaVersion } from '../migrations.ts';
import { postgresDialect } from '../schema/step.ts';
import { rowsOf, sql, type Transaction } from '../statement.ts';
import type { Connections } from './connections.ts';
import { auditSchemaName } from './connections.ts';
import { isConflict } from './postgres-advice.ts';
import { runTransaction } from './transaction.ts';

/** Advisory locks of a database: two numbers, of which other programs hopefully choose another first one. */
export const lockFamily = 0x616d6269;
const migrationLock = 1;

const oldestServer = 15;
const triesMax = 5;

/**
 * Creates the schema, or brings it to the current version. Simultaneous callers take turns. A change deadlocks with a transaction
 * that uses the tables in another order; the server ends one of them, and it is tried again. Rejects if the server is too
 * old, as `schemaVersion` throws, and with errors of the connection.
 */
export async function prepareSchema(
  connections: Connections,
  name: string,
  index: AuditIndexKind = 'audit',
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runTransaction(await connections.pooled(), preparing(name, index));
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
    }
    await delay(Math.random() * 10 * 2 ** tries);
  }
}

/** The version of the server, such as `18.4`. Throws if it is too old. */
export function* serverVersion(): Transaction<string> {
  const [server] = yield* rowsOf<{ number: string; version: string }>(
    sql`SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version`,
  );
  const { number = '', version = '' } = server ?? {};
  if (Number(number) >= oldestServer * 10_000) return version;
  throw new Error(
    `it is PostgreSQL ${version}, and Ambit needs version ${oldestServer} or newer; upgrade it`,
  );
}

function* preparing(name: string, index: AuditIndexKind): Transaction<void> {
  yield* serverVersion();
  yield sql`SELECT pg_advisory_xact_lock(${lockFamily}, ${migrationLock})`;
  const [schema] = yield* rowsOf<{ found: string | null }>(sql`SELECT to_regnamespace(${name}) AS found`);
  if (schema?.found == null) yield { parts: [`CREATE SCHEMA ${name}`], values: [] };
  if (name === auditSchemaName) {
    yield* requireEveryCharacter();
    yield* discardOtherIndex(index);
    return yield* migrate(postgresDialect, index);
  }
  yield* migrate(postgresDialect, 'store');
  yield* migrate(postgresDialect, 'keys');
  yield* migrate(postgresDialect, 'cluster');
  yield* migrate(postgresDialect, 'shipped');
}

/** A text that the database cannot store would end every update of the index at its event. */
function* requireEveryCharacter(): Transaction<void> {
  const [found] = yield* rowsOf<{ encoding: string }>(sql`SELECT getdatabaseencoding() AS encoding`);
  const { encoding = '' } = found ?? {};
  // SQL_ASCII stores any bytes.
  if (['UTF8', 'SQL_ASCII'].includes(encoding)) return;
  throw new Error(
    `its encoding is ${encoding}, which cannot store every text; use a database with the encoding UTF8`,
  );
}

/** The index of one log, or the one of the logs of a cluster. */
export type AuditIndexKind = 'audit' | 'clusterIndex';

const indexTables: Record<AuditIndexKind, readonly string[]> = {
  audit: ['meta', 'kinds', 'calls', 'blocks', 'texts'],
  clusterIndex: ['indexed', 'kinds', 'calls', 'blocks', 'texts'],
};

/** Drops an audit index of the other kind, or without some of its tables, which someone has removed: it is created again. */
function* discardOtherIndex(kind: AuditIndexKind): Transaction<void> {
  const tables = ['migrations', 'meta', 'indexed', 'kinds', 'calls', 'blocks', 'texts'];
  const found = yield* rowsOf<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace(${auditSchemaName})
      AND relname IN (SELECT value FROM json_array_elements_text(${JSON.stringify(tables)}))`,
  );
  const has = new Set(found.map(({ name }) => name));
  if (
    has.size === 0 ||
    (has.size === 6 && [...indexTables[kind], 'migrations'].every((table) => has.has(table)))
  )
    return;
  // A newer index may have other tables.
  if (has.has('migrations')) yield* schemaVersion(kind);
  yield sql`DROP TABLE IF EXISTS migrations, meta, indexed, kinds, calls, blocks, texts`;
}
