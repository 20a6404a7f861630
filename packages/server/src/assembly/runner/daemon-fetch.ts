import { X509Certificate } from 'node:crypto';
import { readOrdinaryFile } from '@ambit/runtime';
import type { Config } from '../../config/config.ts';

/**
 * What commands call the daemon of their configuration with. Over TLS it trusts one certificate, the one that the
 * configuration names, whoever signed it and whatever name is in it: the daemon is called by its address.
 */
export async function daemonFetch({ listen: { tls } }: Pick<Config, 'listen'>): Promise<typeof fetch> {
  if (tls === null) return fetch;
  // A hundred modules that no daemon has a use for.
  const { Agent, fetch: fetchBy } = await import('undici');
  const cert = (await readOrdinaryFile(tls.cert)).toString();
  const { raw } = new X509Certificate(cert);
  const dispatcher = new Agent({
    connect: {
      ca: cert,
      allowPartialTrustChain: true,
      checkServerIdentity: (_name, peer) =>
        peer.raw.equals(raw)
          ? undefined
          : new Error(
              `the daemon shows another certificate than ${tls.cert}; "ambit config reload" has it read that`,
            ),
    },
  });
  const pinned = (address: string, init: object) => fetchBy(address, { ...init, dispatcher });
  return pinned as unknown as typeof fetch;
}
