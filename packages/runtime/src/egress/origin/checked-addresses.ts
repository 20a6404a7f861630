import type { Socket } from 'node:net';
import {
  canonicalHost,
  deniesAddress,
  grantsAddress,
  type NetworkRule,
  specialAddress,
} from '@ambit/core/internal';
import { ProxyError, type RefuseNetwork } from '../refusal.ts';

/** All addresses of a name. Throws when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Begins a connection to an address, which is never a name. */
export type Dial = (address: string, port: number) => Socket;

/** The addresses to dial for a host and a port, in brackets when IPv6. Throws `GateRefusal`, or `ProxyError` 502. */
export type CheckedAddresses = (host: string, port: number) => Promise<readonly string[]>;

/**
 * Resolves each name once for a call, and refuses it when any of its addresses is special, this host's own, or denied.
 * What special address is granted is granted by a rule that names the address itself with its port; with such a rule beside
 * it, a name may lead there as well.
 */
export function checkedAddresses(
  { network, deny }: { network: readonly NetworkRule[]; deny: readonly NetworkRule[] },
  { resolve, ownAddresses }: { resolve: Resolve; ownAddresses: () => readonly string[] },
  refuse: RefuseNetwork,
): CheckedAddresses {
  const resolved = new Map<string, Promise<readonly string[]>>();
  const addressesOf = (host: string): Promise<readonly string[]> => {
    // Once for the call: a name that is answered in another way later leads nowhere else.
    const known = resolved.get(host) ?? resolveName(resolve, host);
    resolved.set(host, known);
    return known;
  };
  return async (host, port) => {
    const addresses = isAddress(host) ? [host] : await addressesOf(host);
    const own = ownAddresses().map(canonicalAddress);
    for (const address of addresses) {
      const to = address === host ? 'is' : `leads to ${address}, which is`;
      const denied = deny.find((rule) => deniesAddress([rule], address, port));
      if (denied !== undefined)
        throw refuse({ host, port }, `${to} denied by a rule of the operator`, denied);
      const special =
        specialAddress(address) ??
        (own.includes(address) ? { kind: 'address of this host', grantable: true } : undefined);
      if (special === undefined || (special.grantable && grantsAddress(network, address, port))) continue;
      const remedy = special.grantable ? undefined : 'no grant does; Ambit never connects there';
      throw refuse({ host, port, address, remedy }, `${to} ${article(special.kind)} and not granted as such`);
    }
    return addresses;
  };
}

/** Whether a host, in its one form, is an address. */
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
    throw new ProxyError(502, `${host} has no address that can be used`);
  }
  return addresses;
}

function canonicalAddress(address: string): string {
  return canonicalHost(address.includes(':') ? `[${address}]` : address) ?? '';
}

function article(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
