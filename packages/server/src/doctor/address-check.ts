import { once } from 'node:events';
import { createServer } from 'node:net';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import type { Config } from '../config/config.ts';
import type { DoctorCheck } from './doctor-report.ts';

/** Tests whether a daemon could listen at the configured address, unless one already listens. */
export async function addressCheck({ listen: { host, port }, dataDir }: Config): Promise<DoctorCheck> {
  const name = 'address';
  const daemon = await daemonStatus(dataDir);
  // It may have been started with another address than the configured one.
  if (daemon.running && daemon.address?.url !== undefined) {
    const meaning = 'the daemon of this data directory listens there';
    return { name, status: 'ok', found: daemon.address.url, meaning };
  }
  const found = `${host}:${port}`;
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return { name, status: 'ok', found, meaning: 'a daemon can listen there' };
  } catch (error) {
    return {
      name,
      status: 'limited',
      found: `${found}: ${(error as Error).message}`,
      meaning: 'a daemon with this configuration cannot start',
      fix: 'Stop the program that listens there ("ss -ltnp" lists it), or set listen.port or AMBIT_PORT',
    };
  } finally {
    server.close();
  }
}
