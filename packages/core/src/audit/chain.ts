import type { AuditEvent } from './audit-event.ts';
import { canonicalJson } from './canonical-json.ts';

/** SHA-256 over the parts, one after another, as 32 bytes. Core has no cryptography of its own. */
export type Sha256 = (...parts: (string | Uint8Array)[]) => Uint8Array;

/** What the first event is chained to: it holds the log's own id, so that no other log goes on from here. */
export function genesisHash(sha256: Sha256, logId: string): Uint8Array {
  return sha256(`ambit audit log ${logId}`);
}

/** What an event's hash is over, beside the hash before it: its place and its content, in their one text. */
export function eventText(sequence: number, event: AuditEvent): string {
  return placedText(sequence, canonicalJson(event));
}

/** The same, of an event that is its canonical text already. */
export function placedText(sequence: number, text: string): string {
  return `{"event":${text},"sequence":${sequence}}`;
}

/** An event's hash: SHA-256 over the hash before it and the event's own text. */
export function eventHash(sha256: Sha256, previous: Uint8Array, text: string): Uint8Array {
  return sha256(previous, text);
}
