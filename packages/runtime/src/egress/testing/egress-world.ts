import { connect, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { CallProxy, ProxiedCall } from '../call-proxy.ts';
import { type EgressProxy, egressProxy } from '../egress-proxy.ts';
import { outside } from './test-authority.ts';

/** An egress proxy to a world of the test's own: names, the servers that stand behind addresses, and what was dialled. */
export interface TestWorld {
  egress: EgressProxy;
  open(call: Partial<ProxiedCall>): CallProxy;
  resolved: string[];
  dialled: string[];
}

/**
 * `names` are all the names there are. Whatever address the egress proxy dials, the connection is made to the port of `servers`, by
 * `address:port`, on loopback, or refused without being tried; loopback addresses that are not among them are themselves; any other fails the test.
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

/** What a connection to a port without a server fails with; the tests' packets go to their own servers only. */
function refused(): Error {
  return Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
}
