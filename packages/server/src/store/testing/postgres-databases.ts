import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { PostgresSettings } from '../postgres/postgres-settings.ts';
import { postgresTarget } from '../postgres/postgres-target.ts';
import { type SharedPostgres, sharedPostgres } from './shared-postgres.ts';

/** Settings for a new, empty database, which is removed when the test has finished; by default in the shared server. */
export async function postgresDatabase(server?: SharedPostgres): Promise<PostgresSettings> {
  const where = server ?? (await sharedPostgres());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(where, `CREATE DATABASE ${name}`);
  if (server === undefined)
    onTestFinished(() => asAdministrator(where, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined));
  return settingsFor(where, name);
}

/** The settings for a database of that name. */
export function settingsFor({ host, port, user }: SharedPostgres, database: string): PostgresSettings {
  const target = postgresTarget(`postgres://${user}@${host}:${port}/${database}`);
  if (typeof target === 'string') throw new Error(target);
  return { target, tls: null, poolSize: 4, statementTimeoutMs: 10_000, connectTimeoutMs: 5000 };
}

/** Runs a statement as the superuser; in `database`, or beside all others. Resolves to its rows. */
export async function asAdministrator(
  { host, port, user }: SharedPostgres,
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
