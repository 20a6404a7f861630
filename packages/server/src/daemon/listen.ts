import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';

/** Accepts connections at the configured address. Resolves to the URL with the actual port. */
export async function listen(app: FastifyInstance, { listen: { host, port, tls } }: Config): Promise<string> {
  await app.listen({ host: await oneAddress(host), port });
  return urlOf(app.server.address() as AddressInfo, tls === null ? 'http' : 'https');
}

/**
 * The single address to listen on for `host`. For each further address of `localhost`, Fastify would create another server,
 * without our limits, certificate renewal and shutdown. Prefers IPv4. Rejects if `localhost` has no address.
 */
export async function oneAddress(host: string): Promise<string> {
  if (host !== 'localhost') return host;
  return (await lookup(host, { order: 'ipv4first' })).address;
}

function urlOf({ address, family, port }: AddressInfo, scheme: string): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
