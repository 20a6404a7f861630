import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Dial, Resolve } from './call/checked-addresses.ts';
import { type CallProxy, callProxy, type ProxiedCall } from './call-proxy.ts';
import { certificateAuthority } from './certificate-authority.ts';

/**
 * The only way from skills to the network. It decides what each call may reach, and presents
 * certificates to its programs.
 */
export interface EgressProxy {
  /**
   * The certificate, as PEM, that sandboxes trust. Its key is created at start and exists only in
   * memory.
   */
  readonly authority: string;
  /** Opens the proxy of a call. */
  open(call: ProxiedCall): CallProxy;
  /** Ends every connection of every call. */
  close(): Promise<void>;
}

/** Access to the network. Absent options use this machine's. */
export interface EgressProxyOptions {
  resolve?: Resolve;
  dial?: Dial;
  /** Certificates, as PEM, that are trusted upstream besides the system's. */
  authorities?: readonly string[];
  /** The addresses of this host, which are refused unless granted. */
  ownAddresses?: () => readonly string[];
}

/** Creates the proxy with its own certificate authority. */
export async function egressProxy({
  resolve = resolveBySystem,
  dial = (address, port) => connect({ host: address, port }),
  authorities = [],
  ownAddresses = interfaceAddresses,
}: EgressProxyOptions = {}): Promise<EgressProxy> {
  const authority = await certificateAuthority();
  const trusted = trustedUpstream(authorities);
  const open = new Set<CallProxy>();
  return {
    authority: authority.certificate,
    open(call) {
      const proxy = callProxy(call, { resolve, dial, trusted, ownAddresses, certify: authority.certify });
      const close = (): void => {
        open.delete(tracked);
        proxy.close();
      };
      const tracked: CallProxy = { ...proxy, close };
      open.add(tracked);
      return tracked;
    },
    async close() {
      for (const proxy of open) proxy.close();
    },
  };
}

async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

/** Created once, because reading the system's certificates takes longer than a request. */
function trustedUpstream(authorities: readonly string[]): SecureContext {
  return createSecureContext({
    ca: [...getCACertificates('default'), ...authorities],
    minVersion: 'TLSv1.2',
  });
}
