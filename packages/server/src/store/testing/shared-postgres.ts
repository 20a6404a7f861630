import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** The variable with the socket of the process that starts the server. */
const variable = 'TEST_POSTGRES_SOCKET';

/** A server that all tests of a run share. */
export type SharedPostgres = Pick<PostgresServer, 'host' | 'port' | 'user'>;

/**
 * Offers a PostgreSQL server to all processes of a test run: the first that asks starts it. Returns a function that ends
 * it.
 */
export async function offerPostgres(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-tests-'));
  await chmod(folder, 0o700);
  let starting: Promise<PostgresServer> | undefined;
  const listener = createServer({ allowHalfOpen: true }, async (asking) => {
    asking.on('error', () => undefined);
    starting ??= startPostgres({ settings: { max_connections: '400' } });
    const answer = await starting.then(
      ({ host, port, user }) => ({ host, port, user }),
      (error: Error) => ({ failed: error.message }),
    );
    asking.end(JSON.stringify(answer));
  });
  const socket = join(folder, 'postgres');
  await once(listener.listen(socket), 'listening');
  process.env[variable] = socket;
  return async () => {
    listener.close();
    await starting?.then(
      (server) => server.stop(),
      () => undefined,
    );
    await rm(folder, { recursive: true });
  };
}

/** The shared server, which the first caller starts. */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const socket = process.env[variable];
  if (socket === undefined) throw new Error('the test run offers no PostgreSQL; see vitest.config.ts');
  const answer = JSON.parse(await text(connect(socket))) as SharedPostgres | { failed: string };
  if ('failed' in answer) throw new Error(answer.failed);
  return answer;
}
