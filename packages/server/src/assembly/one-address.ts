import { lookup } from 'node:dns/promises';

/**
 * Where to listen for `host`. For each further address of `localhost` Fastify would make a server of its own, one without our
 * bounds, that no renewed certificate and no stop reaches: of those it is the first, of IPv4 where there is one. Rejects where
 * it has none.
 */
export async function oneAddress(host: string): Promise<string> {
  if (host !== 'localhost') return host;
  return (await lookup(host, { order: 'ipv4first' })).address;
}
