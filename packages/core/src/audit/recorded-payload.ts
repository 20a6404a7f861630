import type { JsonText } from '../json/json-text.ts';
import type { RecordedPayload } from './audit-event.ts';

/** How much is kept of inputs and outputs, beside their digests. */
export interface PayloadPolicy {
  /** `digest`: nothing more. `preview`: the beginning. `full`: all of it, as far as it is bounded. */
  payloads: 'digest' | 'preview' | 'full';
  /** Of a preview: at most so many UTF-16 code units. */
  previewCharacters: number;
  /** Of a full payload: at most so many bytes of UTF-8. */
  fullBytes: number;
}

/** Covers what is secret in a text that is about to be written. */
export interface Redactor {
  /**
   * The text with every secret that is known, and whatever looks like one, redacted. What else is in it stays. A promise for a
   * text that takes long.
   */
  redact(text: string): string | Promise<string>;
  /** How long a secret can be, in UTF-16 code units: so much more of a text than is kept has to be looked at. */
  readonly secretCharactersMax: number;
}

/** What of inputs and outputs goes into the log. */
export interface PayloadRecording {
  policyFor(skillId: string): PayloadPolicy;
  redactor: Redactor;
}

/**
 * What is kept of a text: redacted first and cut afterwards, so that no half of a secret is left at the cut. `undefined`
 * when the policy keeps nothing but digests.
 */
export async function recordedPayload(
  { payloads, previewCharacters, fullBytes }: PayloadPolicy,
  { redact, secretCharactersMax }: Redactor,
  of: RecordedPayload['of'],
  json: Pick<JsonText, 'start'>,
): Promise<RecordedPayload | undefined> {
  if (payloads === 'digest') return undefined;
  const most = payloads === 'preview' ? previewCharacters : fullBytes;
  // No character of UTF-8 has less than a byte, so that what lies behind cannot be kept by either measure.
  const text = json.start(most + secretCharactersMax + 1);
  const seen = text.length > most + secretCharactersMax ? text.slice(0, most + secretCharactersMax) : text;
  const redacted = (await redact(seen)).toWellFormed();
  const kept = payloads === 'preview' ? firstCharacters(redacted, most) : firstBytes(redacted, most);
  return { of, text: kept, isCut: kept.length < redacted.length || seen.length < text.length };
}

function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : withoutHalf(text.slice(0, most));
}

/** A cut between the two halves of a character leaves the first at the end. */
function withoutHalf(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}

function firstBytes(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  // A stream waits for the rest of a character that is cut, and never gets it.
  return new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
}
