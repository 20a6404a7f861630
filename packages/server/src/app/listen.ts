import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { oneAddress } from '../config/listen-address.ts';
import { listeningUrl } from '../http/connections/listening-url.ts';
import { backlog } from '../http/connections/server-options.ts';

/** Accepts connections at the configured address. Resolves to the URL with the actual port. */
export async function listen(
  app: FastifyInstance,
  { listen: { host, port } }: Config,
): Promise<string | undefined> {
  await app.listen({ host: await oneAddress(host), port, backlog });
  return listeningUrl(app.server);
}
