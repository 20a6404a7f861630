import { type Dialect, migrate, schemaVersion } from '../migrations.ts';
import { rowsOf, sql, type Transaction } from '../statement.ts';
import type { Connections } from './connections.ts';
import { auditSchemaName } from './connections.ts';
import { OldServerError } from './postgres-advice.ts';
import { runTransaction } from './transaction.ts';

const postgresDialect: Dialect = { name: 'postgres', bytes: 'BYTEA', integer: 'BIGINT', table: '' };

/** Advisory locks of a database: two numbers, of which other programs hopefully choose another first one. */
export const lockFamily = 0x616d6269;
const migrationLock = 1;

const oldestServer = 15;

/**
 * Creates the schema, or brings it to the current version. Simultaneous callers take turns. Rejects with an
 * `OldServerError`, a `NewerSchemaError`, and errors of the connection.
 */
export async function prepareSchema(connections: Connections, name: string): Promise<void> {
  await runTransaction(await connections.pooled(), preparing(name));
}

/** The version of the server, such as `18.4`. Throws an `OldServerError`. */
export function* serverVersion(): Transaction<string> {
  const [server] = yield* rowsOf<{ number: string; version: string }>(
    sql`SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version`,
  );
  const { number = '', version = '' } = server ?? {};
  if (Number(number) >= oldestServer * 10_000) return version;
  throw new OldServerError(
    `it is PostgreSQL ${version}, and Ambit needs version ${oldestServer} or newer; upgrade it`,
  );
}

function* preparing(name: string): Transaction<void> {
  yield* serverVersion();
  yield sql`SELECT pg_advisory_xact_lock(${lockFamily}, ${migrationLock})`;
  const [schema] = yield* rowsOf<{ found: string | null }>(sql`SELECT to_regnamespace(${name}) AS found`);
  if (schema?.found == null) yield { parts: [`CREATE SCHEMA ${name}`], values: [] };
  if (name === auditSchemaName) {
    yield* requireEveryCharacter();
    yield* discardIncompleteIndex();
    return yield* migrate(postgresDialect, 'audit');
  }
  yield* migrate(postgresDialect, 'store');
  yield* migrate(postgresDialect, 'keys');
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

/** Drops an audit index without some of its tables, which someone has removed: it is derived, and created again. */
function* discardIncompleteIndex(): Transaction<void> {
  const [has] = yield* rowsOf<{ tables: number; migrations: number }>(
    sql`SELECT count(*) AS tables, count(*) FILTER (WHERE relname = 'migrations') AS migrations FROM pg_class
      WHERE relnamespace = to_regnamespace(${auditSchemaName})
        AND relname IN ('migrations', 'meta', 'kinds', 'calls', 'blocks', 'texts')`,
  );
  const { tables = 0, migrations = 0 } = has ?? {};
  if (tables === 0 || tables === 6) return;
  // A newer index may have other tables.
  if (migrations > 0) yield* schemaVersion('audit');
  yield sql`DROP TABLE IF EXISTS migrations, meta, kinds, calls, blocks, texts`;
}
