import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { oneAddress } from '../config/one-address.ts';

/**
 * Connections that wait until the daemon accepts them. Node's default is 511. The kernel drops more than that while the
 * daemon is busy, and their clients try again only after seconds.
 */
export const backlog = 4096;

/** Accepts connections at the configured address. Resolves to the URL with the actual port. */
export async function listen(app: FastifyInstance, { listen: { host, port, tls } }: Config): Promise<string> {
  await app.listen({ host: await oneAddress(host), port, backlog });
  return urlOf(app.server.address() as AddressInfo, tls === null ? 'http' : 'https');
}

function urlOf({ address, family, port }: AddressInfo, scheme: string): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
