import type { Redactor } from '@ambit/core/internal';
import type { RedactionList } from '../secrets/redaction-list.ts';
import { inlineBytesMax } from './json-bounds.ts';
import type { JsonThread } from './json-thread.ts';

/**
 * Redacts short texts in the calling thread and long ones in the JSON thread: finding secrets in a
 * mebibyte takes a tenth of a second.
 */
export function redactInThread(
  { redact, values, secretCharactersMax }: RedactionList,
  json: Pick<JsonThread, 'redactText'>,
): Redactor {
  return {
    secretCharactersMax,
    redact: (text) => (text.length <= inlineBytesMax ? redact(text) : json.redactText(text, values())),
  };
}
