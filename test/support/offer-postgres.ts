import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketVariable } from '../../packages/server/src/store/testing/postgres-socket.ts';
import { postgres } from '../../scripts/check/needs.mjs';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/**
 * Offers a PostgreSQL server to all tests of a run: the first that asks starts it. Where there are no binaries for it, the
 * tests run without it.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (postgres.why(join(import.meta.dirname, '../..')) !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'ambit-tests-'));
  let starting: Promise<PostgresServer> | undefined;
  const listener = createServer({ allowHalfOpen: true }, (asking) => {
    asking.on('error', () => undefined);
    // Its data need not survive a crash of the machine. A commit still waits for the log to be written.
    starting ??= startPostgres({ max_connections: '400', fsync: 'off' });
    starting.then(
      ({ host, port, user }) => asking.end(JSON.stringify({ host, port, user })),
      (error: Error) => asking.end(JSON.stringify({ failed: error.message })),
    );
  });
  const socket = join(folder, 'postgres');
  await once(listener.listen(socket), 'listening');
  process.env[socketVariable] = socket;
  return async () => {
    listener.close();
    await starting?.then(
      (server) => server.stop(),
      () => undefined,
    );
    await rm(folder, { recursive: true });
  };
}
