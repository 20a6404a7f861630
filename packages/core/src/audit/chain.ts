import { canonicalJson } from '../json/canonical-json.ts';
import type { AuditEvent } from './audit-event.ts';

/** SHA-256 over the concatenated parts, 32 bytes. Injected, because core has no cryptography. */
export type Sha256 = (...parts: (string | Uint8Array)[]) => Uint8Array;

/**
 * The hash before the first event. It includes the log's id, so that no other log can continue from
 * it.
 */
export function genesisHash(sha256: Sha256, logId: string): Uint8Array {
  return sha256(`ambit audit log ${logId}`);
}

/**
 * The canonical text of an event and its sequence, which its hash covers together with the previous
 * hash.
 */
export function eventText(sequence: number, event: AuditEvent): string {
  return placedText(sequence, canonicalJson(event));
}

/** The same for an event that is already canonical text. */
export function placedText(sequence: number, text: string): string {
  return `{"event":${text},"sequence":${sequence}}`;
}

/** An event's hash: SHA-256 over the previous hash and the event's text. */
export function eventHash(sha256: Sha256, previous: Uint8Array, text: string): Uint8Array {
  return sha256(previous, text);
}
