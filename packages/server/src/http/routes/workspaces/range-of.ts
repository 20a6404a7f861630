import type { StoredFile } from '@ambit/core/workspace';
import { Refusal } from '../../../errors/refusal.ts';

/**
 * The one range of bytes that a `Range` header asks for (RFC 9110, section 14.1.2); `undefined` for none, for several and for
 * other units, which are answered with the whole file. Throws `REQUEST_INVALID` for a range outside the file.
 */
export function rangeOf(
  header: string | undefined,
  { bytes }: Pick<StoredFile, 'bytes'>,
): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  if (start < end) return { start, end };
  throw new Refusal(
    'REQUEST_INVALID',
    `the file has ${bytes} bytes, and ${header} is outside of it; ask for a range that begins before its end`,
    { headers: { 'content-range': `bytes */${bytes}` } },
  );
}
