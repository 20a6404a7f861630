import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { Fetch } from '@ambit/client';
import { readOrdinaryFile } from '@ambit/runtime';
import type { Config } from '../config/config.ts';

/** The TLS options of `node:tls` that pin a certificate. */
export type DaemonTls = Required<
  Pick<ConnectionOptions, 'ca' | 'allowPartialTrustChain' | 'checkServerIdentity'>
>;

/**
 * TLS options that accept only the configured certificate, with any issuer and name, because the daemon is called by its
 * address. `undefined` without TLS.
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
            `the daemon uses another certificate than ${tls.cert}. To make it use that one, run: ambit config reload`,
          ),
  };
}

/** A `fetch` for the daemon of a configuration. */
export async function daemonFetch(config: Pick<Config, 'listen'>): Promise<Fetch> {
  const connect = await daemonTls(config);
  if (connect === undefined) return fetch;
  // Loaded lazily: it has about a hundred modules that a daemon does not need.
  const { Agent, fetch: fetchBy } = await import('undici');
  const dispatcher = new Agent({ connect });
  const pinned = (address: string, init: object) => fetchBy(address, { ...init, dispatcher });
  return pinned as unknown as typeof fetch;
}
