import { once } from 'node:events';
import { createServer } from 'node:net';
import { daemonStatus } from '../../audit/lock-data-dir.ts';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';
import type { Config } from '../../config/config.ts';

/** Whether a daemon could listen where the configuration says: tried, unless one does already, wherever that is. */
export async function addressCheck({ listen: { host, port }, dataDir }: Config): Promise<DoctorCheck> {
  const name = 'address';
  const daemon = await daemonStatus(dataDir);
  // It may have been started with another address than this command knows of.
  if (daemon.running && daemon.address !== null) {
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
      ...{ name, status: 'limited', found: `${found}: ${(error as Error).message}` },
      meaning: 'a daemon with this configuration does not start',
      fix: 'End what listens there ("ss -ltnp" says what), or set listen.port, or AMBIT_PORT',
    };
  } finally {
    server.close();
  }
}
