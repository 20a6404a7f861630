import { lookup } from 'node:dns/promises';

/**
 * The single address to listen on for `host`. For each further address of `localhost`, Fastify would create another server,
 * without our limits, certificate renewal and shutdown. Prefers IPv4. Rejects if `localhost` has no address.
 */
export async function oneAddress(host: string): Promise<string> {
  if (host !== 'localhost') return host;
  return (await lookup(host, { order: 'ipv4first' })).address;
}
