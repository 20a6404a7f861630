import { isIP, isIPv6 } from 'node:net';

/** The address at which a node listens for other nodes. */
export interface NodeAddress {
  /** A name or an address, without brackets. */
  host: string;
  port: number;
}

/** Reads `HOST:PORT`, with brackets around an IPv6 address; `undefined` for any other text. */
export function nodeAddress(text: string): NodeAddress | undefined {
  const [, host = '', port = ''] = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(text) ?? [];
  const bare = host.replace(/^\[|\]$/g, '');
  const isHost = host.startsWith('[') ? isIPv6(bare) : isIP(bare) !== 0 || /^[A-Za-z0-9]/.test(bare);
  const number = Number(port);
  return isHost && number >= 1 && number <= 65_535 ? { host: bare, port: number } : undefined;
}
