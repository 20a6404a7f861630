import type { Server } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** The URL at which a server listens, with its actual port; `undefined`: it does not listen at an address. */
export function listeningUrl(server: Server): string | undefined {
  const at = server.address();
  if (at === null || typeof at === 'string') return undefined;
  const { address, family, port } = at;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
