import type { Mask } from '@ambit/core';
import type { SecretCover } from '../secrets/cover/secret-cover.ts';
import { inlineBytesMax } from './json-bounds.ts';
import type { JsonThread } from './json-thread.ts';

/** What `cover` does, and in the thread where a text is long: finding secrets takes a tenth of a second for a mebibyte. */
export function maskInThread(
  { cover, values, reach }: SecretCover,
  json: Pick<JsonThread, 'coverText'>,
): Mask {
  return {
    reach,
    cover: (text) => (text.length <= inlineBytesMax ? cover(text) : json.coverText(text, values())),
  };
}
