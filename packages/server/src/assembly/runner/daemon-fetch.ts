import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { readOrdinaryFile } from '@ambit/runtime';
import type { Config } from '../../config/config.ts';

/** Whom to trust over TLS, as `node:tls` takes it. */
export type DaemonTls = Required<
  Pick<ConnectionOptions, 'ca' | 'allowPartialTrustChain' | 'checkServerIdentity'>
>;

/**
 * Whom commands trust to be the daemon of their configuration: over TLS one certificate, the one that the configuration names,
 * whoever signed it and whatever name is in it, for the daemon is called by its address. `undefined` without TLS.
 */
export async function daemonTls({ listen: { tls } }: Pick<Config, 'listen'>): Promise<DaemonTls | undefined> {
  if (tls === null) return undefined;
  const cert = (await readOrdinaryFile(tls.cert)).toString();
  const { raw } = new X509Certificate(cert);
  return {
    ca: cert,
    allowPartialTrustChain: true,
    checkServerIdentity: (_name, peer) =>
      peer.raw.equals(raw)
        ? undefined
        : new Error(
            `the daemon shows another certificate than ${tls.cert}; "ambit config reload" has it read that`,
          ),
  };
}

/** What they call it with. */
export async function daemonFetch(config: Pick<Config, 'listen'>): Promise<typeof fetch> {
  const connect = await daemonTls(config);
  if (connect === undefined) return fetch;
  // A hundred modules that no daemon has a use for.
  const { Agent, fetch: fetchBy } = await import('undici');
  const dispatcher = new Agent({ connect });
  const pinned = (address: string, init: object) => fetchBy(address, { ...init, dispatcher });
  return pinned as unknown as typeof fetch;
}
