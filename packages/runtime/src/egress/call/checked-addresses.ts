import type { Socket } from 'node:net';
import {
  canonicalHost,
  deniesAddress,
  grantsAddress,
  type NetworkRule,
  specialAddress,
} from '@ambit/core/egress';
import { ProxyError, type RefuseNetwork } from './refusal.ts';

/** All addresses of a name. Throws if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Starts a connection to an address, never to a name. */
export type Dial = (address: string, port: number) => Socket;

/**
 * The addresses to dial for a host and port; IPv6 in brackets. Throws `ProxyRefusal`, or
 * `ProxyError` 502.
 */
export type CheckedAddresses = (host: string, port: number) => Promise<readonly string[]>;

/**
 * Resolves each name once per call and refuses it if any of its addresses is special, belongs to
 * this host, or is denied. Only a rule that names a special address and its port grants it. With
 * such a rule, a granted name may also resolve to that address.
 */
export function checkedAddresses(
  { network, deny }: { network: readonly NetworkRule[]; deny: readonly NetworkRule[] },
  { resolve, ownAddresses }: { resolve: Resolve; ownAddresses: () => readonly string[] },
  refuse: RefuseNetwork,
): CheckedAddresses {
  const resolved = new Map<string, Promise<readonly string[]>>();
  const addressesOf = (host: string): Promise<readonly string[]> => {
    // Once per call: a later DNS answer has no effect.
    const known = resolved.get(host) ?? resolveName(resolve, host);
    resolved.set(host, known);
    return known;
  };
  return async (host, port) => {
    const addresses = isAddress(host) ? [host] : await addressesOf(host);
    const own = ownAddresses().map(canonicalAddress);
    for (const address of addresses) {
      const to = address === host ? 'is' : `resolves to ${address}, which is`;
      const denied = deny.find((rule) => deniesAddress([rule], address, port));
      if (denied !== undefined)
        throw refuse({ host, port }, `${to} denied by a rule of the operator`, denied);
      const special =
        specialAddress(address) ??
        (own.includes(address) ? { kind: 'address of this host', grantable: true } : undefined);
      if (special === undefined || (special.grantable && grantsAddress(network, address, port))) continue;
      const remedy = special.grantable ? undefined : 'no grant allows this; Ambit never connects there';
      throw refuse(
        { host, port, address, remedy },
        `${to} ${article(special.kind)}, which needs its own grant`,
      );
    }
    return addresses;
  };
}

/** Whether a canonical host is an address. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || /^[\d.]+$/.test(host);
}

async function resolveName(resolve: Resolve, host: string): Promise<readonly string[]> {
  let found: readonly string[];
  try {
    found = await resolve(host);
  } catch (error) {
    throw new ProxyError(502, `${host} has no address: ${(error as NodeJS.ErrnoException).code ?? error}`, {
      cause: error,
    });
  }
  const addresses = found.map(canonicalAddress);
  if (addresses.length === 0 || !addresses.every((address) => isAddress(address))) {
    throw new ProxyError(502, `${host} has no usable address`);
  }
  return addresses;
}

function canonicalAddress(address: string): string {
  return canonicalHost(address.includes(':') ? `[${address}]` : address) ?? '';
}

function article(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
