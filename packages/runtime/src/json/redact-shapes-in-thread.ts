import type { Redactor } from '@ambit/core/audit';
import { redactStored } from '../secrets/secret-shapes.ts';
import { inlineBytesMax } from './json-bounds.ts';
import type { JsonThread } from './json-thread.ts';

/** Longer than any token, and than most private keys. */
const secretCharactersMax = 16 * 1024;

/**
 * Redacts everything with the shape of a secret: short texts in the calling thread and long ones in
 * the JSON thread, because a mebibyte takes a tenth of a second. Known values are not searched for:
 * the text of a caller who may guess must not show whether the guess was right.
 */
export function redactShapesInThread(json: Pick<JsonThread, 'redactStored'>): Redactor {
  return {
    secretCharactersMax,
    redact: (text) => (text.length <= inlineBytesMax ? redactStored(text) : json.redactStored(text)),
  };
}
