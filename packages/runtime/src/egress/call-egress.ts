import { createHash } from 'node:crypto';
import type { Grant, RunResult } from '@ambit/core/execute';
import { noneObserved, type ObservedRun } from '@ambit/core/outcome';
import { type CapabilityKind, networkRemedy } from '@ambit/core/policy';
import type { FileChange, FileContent } from '@ambit/core/workspace';
import type { StreamRedactor } from '../secrets/secret-redactor.ts';
import type { SecretSource } from '../secrets/secret-source.ts';
import type { UnnamedFile } from '../spawn/unnamed-file.ts';
import { inPieces } from '../stream/turns.ts';
import type { CallProxy } from './call-proxy.ts';
import type { EgressProxy } from './egress-proxy.ts';

/** The parts with which an executor gives calls network access. */
export interface Egress {
  /** Created when the first call needs it. */
  proxy(): Promise<EgressProxy>;
  /**
   * The certificate authorities that sandboxed programs trust: the public ones and the egress
   * proxy's own.
   */
  certificates(): Promise<UnnamedFile>;
  secrets: SecretSource;
}

const mebibyte = 1024 * 1024;
/** For all requests of a call together. */
export const egressBounds = { connections: 64, requestBytes: 64 * mebibyte, responseBytes: 256 * mebibyte };

/** The capabilities that an executor with a proxy can also enforce. */
export const networkKinds = ['network', 'secrets'] as const satisfies readonly CapabilityKind[];

/** Whether a grant includes network access or secrets that the proxy serves. With `host`, a program has the host's network. */
export function usesNetwork({ capabilities: { network, secrets, host } }: Grant): boolean {
  return network.length + secrets.length > 0 && host !== true;
}

/**
 * Opens the proxy of a granted call with its secrets; the caller closes it. Rejects with
 * `SECRET_UNAVAILABLE` if a secret is unavailable.
 */
export async function openCallProxy(
  { proxy, secrets }: Egress,
  grant: Grant,
  now?: () => number,
): Promise<CallProxy> {
  const { capabilities, networkDenied, limits } = grant;
  const values = await Promise.all(
    capabilities.secrets.map(async ({ name, hosts }) => ({ name, value: await secrets(name), hosts })),
  );
  return (await proxy()).open({
    network: capabilities.network,
    deny: networkDenied,
    secrets: values,
    limits: { ...egressBounds, timeoutMs: limits.timeoutMs },
    now,
    remedy: (rule) => networkRemedy(grant, rule),
  });
}

/** The connections, denials and redactions of a call, for its result. Its program chose hosts and paths. */
export function egressOf(
  proxy: CallProxy | undefined,
): Pick<RunResult, 'connections' | 'denials' | 'redactions'> {
  if (proxy === undefined) return {};
  const denials = proxy.denials().map((denial) => redactedFields(proxy, denial));
  const connections = proxy.connections().map((connection) => redactedFields(proxy, connection));
  const redactions = proxy.redaction.redactions();
  const result: Pick<RunResult, 'connections' | 'denials' | 'redactions'> = { connections };
  if (denials.length > 0) result.denials = denials;
  if (redactions > 0) result.redactions = redactions;
  return result;
}

/** The network hosts and secrets that a run used: none without a proxy; with one, all of them. */
export function usesOf(proxy: CallProxy | undefined): Pick<ObservedRun, 'network' | 'secrets'> {
  if (proxy === undefined) return { network: noneObserved, secrets: noneObserved };
  const { network, secrets } = proxy.uses();
  return { network: { counts: network, isAll: true }, secrets: { counts: secrets, isAll: true } };
}

/** Redacts the secrets of a call in a short text. */
export function redactorOf(proxy: CallProxy | undefined): ((text: string) => string) | undefined {
  return hasSecrets(proxy) ? proxy.redaction.ofRun.text : undefined;
}

/** The parts of a call's proxy that redaction uses. */
type RedactedCall = Pick<CallProxy, 'redaction' | 'placeholders'>;

/** Redacts the secrets of a call in the texts of a flat object. */
export function redactedFields<T extends object>(proxy: RedactedCall | undefined, value: T): T {
  if (!hasSecrets(proxy)) return value;
  const { text } = proxy.redaction.ofRun;
  const fields = Object.entries(value).map(([key, field]) => [
    key,
    typeof field === 'string' ? text(field) : field,
  ]);
  return Object.fromEntries(fields) as T;
}

/** Redacts the secrets of a call in its output. */
export async function redactedBytes(proxy: RedactedCall | undefined, bytes: Uint8Array): Promise<Uint8Array> {
  if (!hasSecrets(proxy)) return bytes;
  const redactor = proxy.redaction.ofRun.pieces();
  return Buffer.concat([...(await redactAll(redactor, bytes)), redactor.rest()]);
}

async function redactAll(redactor: StreamRedactor, bytes: Uint8Array): Promise<Uint8Array[]> {
  const shown: Uint8Array[] = [];
  await inPieces(bytes, (piece) => shown.push(redactor.take(piece)));
  return shown;
}

/**
 * Like `redactedBytes`, for output that was truncated or whose call was ended: drops an end that
 * may be the start of a secret.
 */
export async function redactedCut(proxy: RedactedCall | undefined, bytes: Uint8Array): Promise<Uint8Array> {
  if (!hasSecrets(proxy)) return bytes;
  const redactor = proxy.redaction.ofRun.pieces();
  return Buffer.concat([...(await redactAll(redactor, bytes)), redactor.cut()]);
}

/** Like `redactedBytes`, for log text. Its lines may have been cut from the middle of a secret. */
export async function redactedText(proxy: RedactedCall | undefined, text: string): Promise<string> {
  if (!hasSecrets(proxy)) return text;
  return new TextDecoder().decode(await redactedBytes(proxy, Buffer.from(text)));
}

/** Redacts the output of a call in pieces; `undefined` if it has no secrets. */
export function streamRedactorOf(proxy: CallProxy | undefined): (() => StreamRedactor) | undefined {
  return hasSecrets(proxy) ? proxy.redaction.ofRun.pieces : undefined;
}

/**
 * Like `redactedBytes`, for the files of a call and their paths. A file with a secret is marked, so
 * that no later run gets the redacted copy back.
 */
export async function redactedFiles(
  proxy: RedactedCall | undefined,
  files: readonly FileChange[],
): Promise<FileChange[]> {
  if (!hasSecrets(proxy)) return [...files];
  const redacted: FileChange[] = [];
  for (const file of files) {
    const path = proxy.redaction.ofRun.text(file.path);
    if (file.content !== null && !(file.content instanceof Uint8Array)) {
      redacted.push(await redactedLarge(proxy, { ...file, content: file.content }));
      continue;
    }
    const content = file.content && (await redactedBytes(proxy, file.content));
    const link = file.link && proxy.redaction.ofRun.text(file.link);
    const isSame =
      path === file.path &&
      link === file.link &&
      (content === null || Buffer.compare(content, file.content ?? content) === 0);
    if (isSame) redacted.push(file);
    else {
      const hidden: FileChange = { ...file, path, content, redacted: true };
      redacted.push(link === undefined ? hidden : { ...hidden, link });
    }
  }
  return redacted;
}

/** A file that is read in parts: unchanged, or without its content if that has a secret. */
async function redactedLarge(
  proxy: RedactedCall,
  file: FileChange & { content: FileContent },
): Promise<FileChange> {
  const redactor = proxy.redaction.ofRun.pieces();
  const path = proxy.redaction.ofRun.text(file.path);
  const digest = createHash('sha256');
  for await (const part of file.content.parts())
    await inPieces(part, (piece) => digest.update(redactor.take(piece)));
  digest.update(redactor.rest());
  if (digest.digest('hex') !== file.content.sha256) {
    const omitted = 'it is too large to redact a secret of the skill in it';
    return { ...file, path, content: null, omitted, redacted: true };
  }
  return path === file.path ? file : { ...file, path, redacted: true };
}

function hasSecrets<Call extends RedactedCall>(proxy: Call | undefined): proxy is Call {
  return proxy !== undefined && Object.keys(proxy.placeholders).length > 0;
}
