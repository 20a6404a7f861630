import { once } from 'node:events';
import { createServer } from 'node:net';
import { daemonStatus } from '../../audit/lock-data-dir.ts';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';
import type { Config } from '../../config/config.ts';

/** Whether a daemon could listen where the configuration says: tried, unless one does already. */
export async function addressCheck({ listen: { host, port }, dataDir }: Config): Promise<DoctorCheck> {
  const name = 'address';
  const found = `${host}:${port}`;
  const daemon = await daemonStatus(dataDir);
  if (daemon.running)
    return { name, status: 'ok', found, meaning: 'the daemon of this data directory is there' };
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
