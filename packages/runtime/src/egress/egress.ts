import { getCACertificates } from 'node:tls';
import { type UnnamedFile, unnamedFile } from '../process/sandbox/unnamed-file.ts';
import type { SecretSource } from '../secrets/secret-source.ts';
import type { Egress } from './call-egress.ts';
import { type EgressGate, type EgressGateOptions, egressGate } from './egress-gate.ts';

/** The network for executors, with a gate that is made when the first call wants it. */
export function egress(
  secrets: SecretSource,
  options: EgressGateOptions = {},
): Egress & { close(): Promise<void> } {
  let made: Promise<EgressGate> | undefined;
  let certificates: Promise<UnnamedFile> | undefined;
  const gate = (): Promise<EgressGate> => (made ??= egressGate(options));
  return {
    secrets,
    gate,
    certificates: () =>
      (certificates ??= gate().then(({ authority }) =>
        unnamedFile(Buffer.from([authority, ...getCACertificates('default')].join('\n'))),
      )),
    async close() {
      await (await made)?.close();
    },
  };
}
