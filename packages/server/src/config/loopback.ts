import { isIPv4 } from 'node:net';

/** Whether only this machine can reach what listens there. A name other than `localhost` may resolve to anything. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
