import type { NetworkRule } from '@ambit/core/egress';
import { type CallProxy, type Egress, egressBounds } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { sourceBounds } from './source-bounds.ts';

/** The hosts that installs may reach, and the proxy on the way. */
export interface InstallNetwork {
  egress: Egress;
  /** The hosts that installs may reach. */
  network: readonly NetworkRule[];
  /** Wins over `network`. */
  deny: readonly NetworkRule[];
}

/** For everything that is fetched for one source. */
export const fetchMs = 300_000;

/** The egress proxy for one source; the caller closes it. */
export async function networkOf({ egress, network, deny }: InstallNetwork): Promise<CallProxy> {
  const proxy = await egress.proxy();
  return proxy.open({
    network,
    deny,
    secrets: [],
    limits: { ...egressBounds, responseBytes: sourceBounds.bytes, timeoutMs: fetchMs },
    remedy: (rule) => `installs: { network: [${JSON.stringify(rule.replace(/^(?!http:)(.*):443$/, '$1'))}] }`,
  });
}

/** The error for a host that is not allowed. */
export function notAllowed({
  requested,
  reason,
  remedy,
}: ReturnType<CallProxy['denials']>[number]): InstallError {
  return new InstallError(
    'SOURCE_NOT_ALLOWED',
    `skills may not be fetched from ${requested}: it ${reason.replace('granted to this skill', 'allowed by installs.network')}. To allow it, add to ambit.config.yaml: ${remedy}`,
  );
}
