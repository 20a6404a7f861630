import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';

/**
 * The single address to listen on for `host`. For each further address of `localhost`, Fastify would create another server,
 * without our limits, certificate renewal and shutdown. Prefers IPv4. Rejects if `localhost` has no address.
 */
export async function oneAddress(host: string): Promise<string> {
  if (host !== 'localhost') return host;
  return (await lookup(host, { order: 'ipv4first' })).address;
}

/** Whether only this machine can reach the host. Names other than `localhost` may resolve to any address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** The reason for which a server cannot listen; `undefined`: it is not its address. */
export function addressProblem(error: unknown): string | undefined {
  return addressProblems[(error as NodeJS.ErrnoException).code ?? ''];
}

const addressProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this user may not use the port',
  ENOTFOUND: 'the host is unknown',
};
