import { connect, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { CallProxy, ProxiedCall } from '../call-proxy.ts';
import { type EgressProxy, egressProxy } from '../egress-proxy.ts';
import { outside } from './test-authority.ts';

/**
 * An egress proxy with a network controlled by the test: names, servers behind addresses, and a
 * record of dialled addresses.
 */
export interface TestWorld {
  egress: EgressProxy;
  open(call: Partial<ProxiedCall>): CallProxy;
  resolved: string[];
  dialled: string[];
}

/**
 * `names` are the only names that resolve. A dialled address connects to its port on loopback from
 * `servers`, by `address:port`, or is refused without a connection attempt. Other loopback
 * addresses are dialled directly. Any other address fails the test.
 */
export async function testWorld({
  names = {},
  servers = {},
  ownAddresses = [],
}: {
  names?: Record<string, readonly string[] | (() => readonly string[])>;
  servers?: Record<string, number | 'refuses'>;
  ownAddresses?: readonly string[];
}): Promise<TestWorld> {
  const [resolved, dialled]: [string[], string[]] = [[], []];
  const egress = await egressProxy({
    authorities: [(await outside).certificate],
    ownAddresses: () => ownAddresses,
    async resolve(host) {
      resolved.push(host);
      const addresses = names[host];
      if (addresses === undefined) throw Object.assign(new Error(host), { code: 'ENOTFOUND' });
      return typeof addresses === 'function' ? addresses() : addresses;
    },
    dial(address, port) {
      dialled.push(`${address}:${port}`);
      const local = servers[`${address}:${port}`] ?? (address === '127.0.0.1' ? port : undefined);
      if (local === undefined) throw new Error(`the test has no server at ${address}:${port}`);
      if (local === 'refuses') return new Socket().destroy(refused());
      return connect({ host: '127.0.0.1', port: local });
    },
  });
  onTestFinished(() => egress.close());
  return {
    egress,
    resolved,
    dialled,
    open: (call) =>
      egress.open({
        network: [],
        deny: [],
        secrets: [],
        limits: { connections: 64, requestBytes: 50_000_000, responseBytes: 50_000_000, timeoutMs: 10_000 },
        remedy: (rule) => `grants: { fetch: { network: ["${rule}"] } }`,
        ...call,
      }),
  };
}

/**
 * The error of a connection to a port without a server; tests send packets only to their own
 * servers.
 */
function refused(): Error {
  return Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
}
