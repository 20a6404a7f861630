import { isUtf8 } from 'node:buffer';
import {
  type CapabilityKind,
  type Execution,
  type FileChange,
  type Grant,
  networkRemedy,
  noneSeen,
  type SeenRun,
} from '@ambit/core';
import { piecesOf } from '../output/pieces-of.ts';
import type { UnnamedFile } from '../process/sandbox/unnamed-file.ts';
import type { SecretSource } from '../secrets/secret-source.ts';
import type { CallGate } from './call-gate.ts';
import type { EgressGate } from './egress-gate.ts';
import type { MaskedPieces } from './secrets/secret-mask.ts';

/** What an executor needs to give calls a network. */
export interface Egress {
  /** Made when the first call wants it. */
  gate(): Promise<EgressGate>;
  /** The authorities that programs inside trust: those of the web and the gate's own. */
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
 * The gate of one granted call, with the secrets that it is granted; the caller closes it. Rejects with
 * `SECRET_UNAVAILABLE` for a secret that cannot be had.
 */
export async function openCallGate({ gate, secrets }: Egress, grant: Grant): Promise<CallGate> {
  const { capabilities, networkDenied, limits } = grant;
  const values = await Promise.all(
    capabilities.secrets.map(async ({ name, hosts }) => ({ name, value: await secrets(name), hosts })),
  );
  return (await gate()).open({
    network: capabilities.network,
    deny: networkDenied,
    secrets: values,
    limits: { ...egressBounds, timeoutMs: limits.timeoutMs },
    remedy: (rule) => networkRemedy(grant, rule),
  });
}

/** What an execution tells of its network: what it reached, and what it was not let reach. */
export function egressOf(gate: CallGate | undefined): Pick<Execution, 'connections' | 'denials'> {
  if (gate === undefined) return {};
  const denials = gate.denials();
  return {
    connections: gate.connections().map((connection) => ({ ...connection })),
    ...(denials.length === 0 ? {} : { denials }),
  };
}

/** What a run used of its network and its secrets: nothing without a gate, and with one nothing unseen. */
export function usesOf(gate: CallGate | undefined): Pick<SeenRun, 'network' | 'secrets'> {
  if (gate === undefined) return { network: noneSeen, secrets: noneSeen };
  const { network, secrets } = gate.uses();
  return { network: { counts: network, isAll: true }, secrets: { counts: secrets, isAll: true } };
}

/** Covers the secrets of a call in a short text. */
export function coverOf(gate: CallGate | undefined): ((text: string) => string) | undefined {
  return hasSecrets(gate) ? gate.mask.text : undefined;
}

/** What is known of a call's secrets. */
type MaskedCall = Pick<CallGate, 'mask' | 'placeholders'>;

/** Covers the secrets of a call in what it wrote, whatever else is in there. */
export async function maskedBytes(gate: MaskedCall | undefined, bytes: Uint8Array): Promise<Uint8Array> {
  if (!hasSecrets(gate)) return bytes;
  const mask = gate.mask.pieces();
  return Buffer.concat([...(await maskedPieces(mask, bytes)), mask.rest()]);
}

async function maskedPieces(mask: MaskedPieces, bytes: Uint8Array): Promise<Uint8Array[]> {
  const shown: Uint8Array[] = [];
  for await (const piece of piecesOf(bytes)) shown.push(mask.take(piece));
  return shown;
}

/**
 * The same in a stream that was cut off, at its bound or with the end of its call: what may be the beginning of a secret is left
 * out.
 */
export async function maskedCut(gate: MaskedCall | undefined, bytes: Uint8Array): Promise<Uint8Array> {
  if (!hasSecrets(gate)) return bytes;
  const mask = gate.mask.pieces();
  return Buffer.concat([...(await maskedPieces(mask, bytes)), mask.settled()]);
}

/** The same in its log, from which lines were taken that may have stood in the middle of one. */
export async function maskedText(gate: MaskedCall | undefined, text: string): Promise<string> {
  return hasSecrets(gate) ? new TextDecoder().decode(await maskedBytes(gate, Buffer.from(text))) : text;
}

/** What covers them in what it writes, piece by piece; `undefined`: there are none. */
export function maskOf(gate: CallGate | undefined): (() => MaskedPieces) | undefined {
  return hasSecrets(gate) ? gate.mask.pieces : undefined;
}

/** The same in the files that it leaves; one that is no UTF-8 is left as it is, because a short value would break it. */
export async function maskedFiles(
  gate: MaskedCall | undefined,
  files: readonly FileChange[],
): Promise<FileChange[]> {
  if (!hasSecrets(gate)) return [...files];
  const masked: FileChange[] = [];
  for (const file of files) {
    const { content } = file;
    const hasText = content !== null && isUtf8(content);
    masked.push(hasText ? { ...file, content: await maskedBytes(gate, content) } : file);
  }
  return masked;
}

function hasSecrets<Call extends MaskedCall>(gate: Call | undefined): gate is Call {
  return gate !== undefined && Object.keys(gate.placeholders).length > 0;
}
