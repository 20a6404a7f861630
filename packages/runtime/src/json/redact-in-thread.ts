import type { Redactor } from '@ambit/core/internal';
import type { RedactionList } from '../secrets/redact/redaction-list.ts';
import { inlineBytesMax } from './json-bounds.ts';
import type { JsonThread } from './json-thread.ts';

/** What `redact` does, and in the thread where a text is long: finding secrets takes a tenth of a second for a mebibyte. */
export function redactInThread(
  { redact, values, secretCharactersMax }: RedactionList,
  json: Pick<JsonThread, 'redactText'>,
): Redactor {
  return {
    secretCharactersMax,
    redact: (text) => (text.length <= inlineBytesMax ? redact(text) : json.redactText(text, values())),
  };
}
