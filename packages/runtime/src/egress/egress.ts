import { getCACertificates } from 'node:tls';
import type { SecretSource } from '../secrets/secret-source.ts';
import { type UnnamedFile, unnamedFile } from '../spawn/unnamed-file.ts';
import type { Egress } from './call-egress.ts';
import { type EgressProxy, type EgressProxyOptions, egressProxy } from './egress-proxy.ts';

/** Network access for executors. The proxy is created when the first call needs it. */
export function egress(
  secrets: SecretSource,
  options: EgressProxyOptions = {},
): Egress & { close(): Promise<void> } {
  let created: Promise<EgressProxy> | undefined;
  let certificates: Promise<UnnamedFile> | undefined;
  const proxy = (): Promise<EgressProxy> => (created ??= egressProxy(options));
  return {
    secrets,
    proxy,
    certificates: () =>
      (certificates ??= proxy().then(({ authority }) =>
        unnamedFile(Buffer.from([authority, ...getCACertificates('default')].join('\n'))),
      )),
    async close() {
      await (await created)?.close();
      (await certificates)?.close();
    },
  };
}
