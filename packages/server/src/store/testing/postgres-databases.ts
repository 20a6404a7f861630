import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { PostgresSettings } from '../postgres/postgres-settings.ts';
import { postgresTarget } from '../postgres/postgres-target.ts';

/** A server with a superuser who needs no password. */
export interface TestServer {
  host: string;
  port: number;
  user: string;
}

/** The variable with the socket of the process that starts the server of a test run; unset: there is none. */
export const socketVariable = 'TEST_POSTGRES_SOCKET';

/** The server that all tests of a run share, which the first caller starts. */
async function sharedServer(): Promise<TestServer> {
  const socket = process.env[socketVariable];
  if (socket === undefined) throw new Error('this test run has no PostgreSQL');
  const answer = JSON.parse(await text(connect(socket))) as TestServer | { failed: string };
  if ('failed' in answer) throw new Error(answer.failed);
  return answer;
}

/** Settings for a new, empty database, which is removed when the test has finished; by default in the shared server. */
export async function postgresDatabase(server?: TestServer): Promise<PostgresSettings> {
  const where = server ?? (await sharedServer());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(where, `CREATE DATABASE ${name}`);
  if (server === undefined)
    onTestFinished(() => asAdministrator(where, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined));
  return settingsFor(where, name);
}

/** The settings for a database of that name. */
export function settingsFor({ host, port, user }: TestServer, database: string): PostgresSettings {
  const target = postgresTarget(`postgres://${user}@${host}:${port}/${database}`);
  if (typeof target === 'string') throw new Error(target);
  return { target, tls: null, poolSize: 4, statementTimeoutMs: 10_000, connectTimeoutMs: 5000 };
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
