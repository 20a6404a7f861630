import type { JsonText } from '../json/json-text.ts';
import type { RecordedPayload } from './event-parts.ts';

/** The amount of inputs and outputs that is stored besides their digests. */
export interface PayloadPolicy {
  /** `digest`: nothing more. `preview`: the beginning. `full`: everything up to the limit. */
  payloads: 'digest' | 'preview' | 'full';
  /** Limit of a preview, in UTF-16 code units. */
  previewCharacters: number;
  /** Limit of a full payload, in bytes of UTF-8. */
  fullBytes: number;
}

/** Redacts secrets in a text before it is written. */
export interface Redactor {
  /**
   * Replaces every known secret and everything that looks like one. The rest is unchanged. A
   * promise for a long text.
   */
  redact(text: string): string | Promise<string>;
  /**
   * The maximum length of a secret in UTF-16 code units. That much beyond the stored text must be
   * searched.
   */
  readonly secretCharactersMax: number;
}

/** The policies and the redaction for recording inputs and outputs. */
export interface PayloadRecording {
  policyFor(skillId: string): PayloadPolicy;
  redactor: Redactor;
}

/**
 * The text to store: redacted first, then truncated, so that no half of a secret remains at the
 * end. `undefined` if the policy stores only digests.
 */
export async function recordedPayload(
  { payloads, previewCharacters, fullBytes }: PayloadPolicy,
  { redact, secretCharactersMax }: Redactor,
  of: RecordedPayload['of'],
  json: Pick<JsonText, 'start'>,
): Promise<RecordedPayload | undefined> {
  if (payloads === 'digest') return undefined;
  const max = payloads === 'preview' ? previewCharacters : fullBytes;
  // Every character takes at least one byte of UTF-8, so this is enough under either limit.
  const text = json.start(max + secretCharactersMax + 1);
  const seen = text.length > max + secretCharactersMax ? text.slice(0, max + secretCharactersMax) : text;
  const redacted = (await redact(seen)).toWellFormed();
  const stored = payloads === 'preview' ? firstCharacters(redacted, max) : firstBytes(redacted, max);
  return { of, text: stored, isCut: stored.length < redacted.length || seen.length < text.length };
}

function firstCharacters(text: string, max: number): string {
  return text.length <= max ? text : withoutHalf(text.slice(0, max));
}

/** Removes the first half of a character that was cut in two. */
function withoutHalf(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}

function firstBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  // In stream mode an incomplete character at the end is not emitted.
  return new TextDecoder().decode(bytes.subarray(0, max), { stream: true });
}
