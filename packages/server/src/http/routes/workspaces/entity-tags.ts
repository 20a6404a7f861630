import type { Precondition, StoredFile } from '@ambit/core/workspace';
import { Refusal } from '../../../errors/refusal.ts';

/**
 * Conditions of a request on the file that it reads or changes. An absent header sets no condition.
 */
interface Conditions {
  'if-match'?: string | undefined;
  'if-none-match'?: string | undefined;
}

/** The strong entity tag of a file: its digest. */
export function entityTag({ sha256 }: Pick<StoredFile, 'sha256'>): string {
  return `"${sha256}"`;
}

/** Whether the client already has the file (RFC 9110, section 13.1.2). */
export function isKnown(headers: Conditions, file: StoredFile): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && matches(known, file, { weakly: true });
}

/** The condition of `If-Match` and `If-None-Match`; it throws `PRECONDITION_FAILED`. */
export function precondition(headers: Conditions): Precondition {
  const { 'if-match': wanted, 'if-none-match': unwanted } = headers;
  return (current) => {
    if (wanted !== undefined && !matches(wanted, current, { weakly: false }))
      throw failed(current, 'If-Match', wanted);
    if (unwanted !== undefined && matches(unwanted, current, { weakly: true }))
      throw failed(current, 'If-None-Match', unwanted);
  };
}

const tag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

function matches(condition: string, file: StoredFile | undefined, { weakly }: { weakly: boolean }): boolean {
  if (condition.trim() === '*') return file !== undefined;
  const tags = condition.split(',').map((each) => each.trim());
  const odd = tags.find((each) => !tag.test(each));
  if (odd !== undefined)
    throw new Refusal(
      'REQUEST_INVALID',
      'If-Match and If-None-Match take entity tags in quotation marks, as in ETag, or *',
    );
  if (file === undefined) return false;
  return tags.some((each) => (weakly ? each.replace(/^W\//, '') : each) === entityTag(file));
}

function failed(current: StoredFile | undefined, header: string, condition: string): Refusal {
  const is =
    current === undefined ? 'the file does not exist' : `the file has the ETag ${entityTag(current)}`;
  return new Refusal(
    'PRECONDITION_FAILED',
    `${is}, which does not match ${header}: ${condition.slice(0, 200)}; read the file again before you change it`,
  );
}
