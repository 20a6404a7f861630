import type { SecureContext } from 'node:tls';
import type { NetworkRule } from '@ambit/core/egress';
import type { CallRedaction } from './call-redaction.ts';
import type { CallSecrets } from './call-secrets.ts';
import type { CheckedAddresses } from './checked-addresses.ts';
import type { Ledger } from './ledger.ts';
import type { RefuseNetwork } from './refusal.ts';
import type { Upstream } from './upstream.ts';

/** Limits on a call's network use. */
export interface EgressLimits {
  /** Open at the same time. */
  connections: number;
  /** Sent and received by all requests of the call together. */
  requestBytes: number;
  responseBytes: number;
  /** From a request's headers to the last byte of its response; also the idle limit of a tunnel. */
  timeoutMs: number;
}

/** The parts that the modules of a call's proxy share. */
export interface CallParts {
  readonly network: readonly NetworkRule[];
  readonly deny: readonly NetworkRule[];
  readonly limits: EgressLimits;
  readonly refuse: RefuseNetwork;
  readonly ledger: Ledger;
  readonly addressesOf: CheckedAddresses;
  readonly upstream: Upstream;
  readonly secrets: CallSecrets;
  readonly redaction: CallRedaction;
  readonly certify: (host: string) => Promise<SecureContext>;
  /** Aborts pending work when the call's proxy is closed. */
  readonly closed: AbortSignal;
}
