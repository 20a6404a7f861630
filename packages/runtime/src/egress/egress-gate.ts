import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { type CallGate, callGate, type GateCall } from './call-gate.ts';
import type { Dial, Resolve } from './origin/checked-addresses.ts';
import { certificateAuthority } from './tls/certificate-authority.ts';

/** The one way from skills to the network: what each call may reach, and who it says it is, is decided here. */
export interface EgressGate {
  /** The certificate, as PEM, that sandboxes trust. Its key is made at start, stays in memory, and is never written. */
  readonly authority: string;
  /** One for each call. */
  open(call: GateCall): CallGate;
  /** Ends every connection of every call. */
  close(): Promise<void>;
}

/** What the gate needs of the world. Whatever is absent is this machine's. */
export interface EgressGateOptions {
  resolve?: Resolve;
  dial?: Dial;
  /** Certificates, as PEM, that are trusted upstream beside those of the system. */
  authorities?: readonly string[];
  /** The addresses of this host, which are refused unless granted. */
  ownAddresses?: () => readonly string[];
}

/** Makes the gate with a certificate authority of its own. */
export async function egressGate({
  resolve = resolveBySystem,
  dial = (address, port) => connect({ host: address, port }),
  authorities = [],
  ownAddresses = interfaceAddresses,
}: EgressGateOptions = {}): Promise<EgressGate> {
  const authority = await certificateAuthority();
  const trusted = trustedUpstream(authorities);
  const open = new Set<CallGate>();
  return {
    authority: authority.certificate,
    open(call) {
      const gate = callGate(call, { resolve, dial, trusted, ownAddresses, certify: authority.certify });
      const close = (): void => {
        open.delete(gated);
        gate.close();
      };
      const gated: CallGate = { ...gate, close };
      open.add(gated);
      return gated;
    },
    async close() {
      for (const gate of open) gate.close();
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

/** Made once: reading a system's certificates takes longer than a request. */
function trustedUpstream(authorities: readonly string[]): SecureContext {
  return createSecureContext({
    ca: [...getCACertificates('default'), ...authorities],
    minVersion: 'TLSv1.2',
  });
}
