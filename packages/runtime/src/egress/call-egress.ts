import { isUtf8 } from 'node:buffer';
import type { Grant, RunResult } from '@ambit/core/execute';
import {
  type CapabilityKind,
  type FileChange,
  networkRemedy,
  noneObserved,
  type ObservedRun,
} from '@ambit/core/internal';
import { piecesOf } from '../output/pieces-of.ts';
import type { UnnamedFile } from '../process/sandbox/unnamed-file.ts';
import type { SecretSource } from '../secrets/secret-source.ts';
import type { CallProxy } from './call-proxy.ts';
import type { EgressProxy } from './egress-proxy.ts';
import type { StreamRedactor } from './secrets/secret-redactor.ts';

/** What an executor needs to give calls a network. */
export interface Egress {
  /** Made when the first call wants it. */
  proxy(): Promise<EgressProxy>;
  /** The authorities that programs inside trust: those of the web and the egress proxy's own. */
  certificates(): Promise<UnnamedFile>;
  secrets: SecretSource;
}

const mebibyte = 1024 * 1024;
/** For one call, all its requests together. */
export const egressBounds = { connections: 64, requestBytes: 64 * mebibyte, responseBytes: 256 * mebibyte };

/** What an executor enforces where it has one, beside what it does itself. */
export const networkKinds = ['network', 'secrets'] as const satisfies readonly CapabilityKind[];

/** Whether a call has anything to do with the network at all. */
export function usesNetwork({ capabilities: { network, secrets } }: Grant): boolean {
  return network.length + secrets.length > 0;
}

/**
 * The proxy of one granted call, with the secrets that it is granted; the caller closes it. Rejects with
 * `SECRET_UNAVAILABLE` for a secret that cannot be had.
 */
export async function openCallProxy({ proxy, secrets }: Egress, grant: Grant): Promise<CallProxy> {
  const { capabilities, networkDenied, limits } = grant;
  const values = await Promise.all(
    capabilities.secrets.map(async ({ name, hosts }) => ({ name, value: await secrets(name), hosts })),
  );
  return (await proxy()).open({
    network: capabilities.network,
    deny: networkDenied,
    secrets: values,
    limits: { ...egressBounds, timeoutMs: limits.timeoutMs },
    remedy: (rule) => networkRemedy(grant, rule),
  });
}

/** What an execution tells of its network: what it reached, and what it was not let reach. */
export function egressOf(proxy: CallProxy | undefined): Pick<RunResult, 'connections' | 'denials'> {
  if (proxy === undefined) return {};
  const denials = proxy.denials();
  return {
    connections: proxy.connections().map((connection) => ({ ...connection })),
    ...(denials.length === 0 ? {} : { denials }),
  };
}

/** What a run used of its network and its secrets: nothing without a proxy, and with one nothing unseen. */
export function usesOf(proxy: CallProxy | undefined): Pick<ObservedRun, 'network' | 'secrets'> {
  if (proxy === undefined) return { network: noneObserved, secrets: noneObserved };
  const { network, secrets } = proxy.uses();
  return { network: { counts: network, isAll: true }, secrets: { counts: secrets, isAll: true } };
}

/** Redacts the secrets of a call in a short text. */
export function redactorOf(proxy: CallProxy | undefined): ((text: string) => string) | undefined {
  return hasSecrets(proxy) ? proxy.redactor.text : undefined;
}

/** What is known of a call's secrets. */
type RedactedCall = Pick<CallProxy, 'redactor' | 'placeholders'>;

/** Redacts the secrets of a call in what it wrote, whatever else is in there. */
export async function redactedBytes(proxy: RedactedCall | undefined, bytes: Uint8Array): Promise<Uint8Array> {
  if (!hasSecrets(proxy)) return bytes;
  const redactor = proxy.redactor.pieces();
  return Buffer.concat([...(await redactedPieces(redactor, bytes)), redactor.rest()]);
}

async function redactedPieces(redactor: StreamRedactor, bytes: Uint8Array): Promise<Uint8Array[]> {
  const shown: Uint8Array[] = [];
  for await (const piece of piecesOf(bytes)) shown.push(redactor.take(piece));
  return shown;
}

/**
 * The same in a stream that was cut off, at its bound or with the end of its call: what may be the beginning of a secret is left
 * out.
 */
export async function redactedCut(proxy: RedactedCall | undefined, bytes: Uint8Array): Promise<Uint8Array> {
  if (!hasSecrets(proxy)) return bytes;
  const redactor = proxy.redactor.pieces();
  return Buffer.concat([...(await redactedPieces(redactor, bytes)), redactor.settled()]);
}

/** The same in its log, from which lines were taken that may have stood in the middle of one. */
export async function redactedText(proxy: RedactedCall | undefined, text: string): Promise<string> {
  return hasSecrets(proxy) ? new TextDecoder().decode(await redactedBytes(proxy, Buffer.from(text))) : text;
}

/** What redacts them in what it writes, piece by piece; `undefined`: there are none. */
export function streamRedactorOf(proxy: CallProxy | undefined): (() => StreamRedactor) | undefined {
  return hasSecrets(proxy) ? proxy.redactor.pieces : undefined;
}

/** The same in the files that it leaves; one that is no UTF-8 is left as it is, because a short value would break it. */
export async function redactedFiles(
  proxy: RedactedCall | undefined,
  files: readonly FileChange[],
): Promise<FileChange[]> {
  if (!hasSecrets(proxy)) return [...files];
  const redacted: FileChange[] = [];
  for (const file of files) {
    const { content } = file;
    const hasText = content !== null && isUtf8(content);
    redacted.push(hasText ? { ...file, content: await redactedBytes(proxy, content) } : file);
  }
  return redacted;
}

function hasSecrets<Call extends RedactedCall>(proxy: Call | undefined): proxy is Call {
  return proxy !== undefined && Object.keys(proxy.placeholders).length > 0;
}
