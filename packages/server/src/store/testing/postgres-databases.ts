import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { postgresTarget } from '../../config/file/postgres-target.ts';
import type { PostgresSettings } from '../postgres/postgres-settings.ts';
import { openPostgresStore } from '../postgres/postgres-store.ts';
import { type Transactions, type TransactionsOptions, transactionsIn } from '../postgres/transactions.ts';
import type { Row, Transaction, Value } from '../statement.ts';
import type { Store } from '../store.ts';
import { socketVariable } from './postgres-socket.ts';

export { auditSchemaName, openConnections } from '../postgres/connections.ts';
export { inspectPostgres } from '../postgres/inspect-postgres.ts';
export { openPostgresStore } from '../postgres/postgres-store.ts';
export { transactionsIn } from '../postgres/transactions.ts';
export { sql } from '../statement.ts';
export { socketVariable } from './postgres-socket.ts';

/** A server with a superuser who needs no password. */
export interface TestServer {
  host: string;
  port: number;
  user: string;
}

/** The server that all tests of a run share, which the first caller starts. */
async function sharedServer(): Promise<TestServer> {
  const socket = process.env[socketVariable];
  if (socket === undefined) throw new Error('this test run has no PostgreSQL');
  const answer = JSON.parse(await text(connect(socket))) as TestServer | { failed: string };
  if ('failed' in answer) throw new Error(answer.failed);
  return answer;
}

/** The empty databases of this process: creating one and dropping one take the server much longer than a test. */
const unused: string[] = [];

/** Settings for an empty database, which is emptied when the test has finished; by default in the shared server. */
export async function postgresDatabase(
  server?: TestServer,
  atEnd: (empty: () => Promise<void>) => void = onTestFinished,
): Promise<PostgresSettings> {
  const where = server ?? (await sharedServer());
  const reused = server === undefined ? unused.pop() : undefined;
  const name = reused ?? `test_${randomUUID().replaceAll('-', '')}`;
  if (reused === undefined) await asAdministrator(where, `CREATE DATABASE ${name}`);
  if (server === undefined)
    atEnd(async () => {
      await asAdministrator(where, `ALTER DATABASE ${name} RESET ALL`);
      await asAdministrator(where, 'DROP SCHEMA IF EXISTS ambit, ambit_audit CASCADE', name);
      unused.push(name);
    });
  return settingsFor(where, name);
}

/** The settings for a database of that name. */
export function settingsFor({ host, port, user }: TestServer, database: string): PostgresSettings {
  return settingsOf(`postgres://${user}@${host}:${port}/${database}`);
}

/** The settings for the database at a URL. */
export function settingsOf(url: string): PostgresSettings {
  const target = postgresTarget(url);
  if (typeof target === 'string') throw new Error(target);
  return { target, tls: null, poolSize: 4, statementTimeoutMs: 60_000, connectTimeoutMs: 60_000 };
}

/** A store with those settings, which is closed when the test has finished. */
export function openPostgres(settings: PostgresSettings, use: TransactionsOptions['use'] = 'alone'): Store {
  const store = openPostgresStore(settings, { use });
  onTestFinished(() => store.close());
  return store;
}

/** Transactions with those settings, which are closed when the test has finished. */
export function openTransactions(
  settings: PostgresSettings,
  use: TransactionsOptions['use'] = 'beside',
): Transactions {
  const transactions = transactionsIn(settings, { use });
  onTestFinished(() => transactions.close());
  return transactions;
}

/** The steps of a transaction, with `?` for each value. They return the rows of the last statement. */
export function* steps(
  ...statements: readonly (readonly [text: string, ...values: Value[]])[]
): Transaction<readonly Row[]> {
  let rows: readonly Row[] = [];
  for (const [text, ...values] of statements) rows = yield { parts: text.split('?'), values };
  return rows;
}

/** Runs a statement as the superuser; in `database`, or beside all others. Resolves to its rows. */
export async function asAdministrator(
  { host, port, user }: TestServer,
  statement: string,
  database = 'postgres',
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host, port, user, database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Runs a statement as the superuser in the database of these settings. */
export function inDatabase(
  { target: { host, port, database } }: Pick<PostgresSettings, 'target'>,
  statement: string,
): ReturnType<typeof asAdministrator> {
  return asAdministrator({ host, port, user: 'postgres' }, statement, database);
}

/** Ends the other connections to a server and takes all that it allows. Resolves to what gives them back. */
export async function takeAllConnections({ host, port, user }: TestServer): Promise<() => Promise<void>> {
  const taken: pg.Client[] = [];
  for (let isFull = false; !isFull; ) {
    const client = new pg.Client({ host, port, user, database: 'postgres' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      taken.push(client);
    } catch (error) {
      if ((error as { code?: string }).code !== '53300') throw error;
      const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname <> 'postgres'`;
      const { rowCount } = (await taken[0]?.query(others)) ?? { rowCount: 0 };
      isFull = rowCount === 0;
    }
  }
  return async () => void (await Promise.all(taken.map((client) => client.end())));
}
