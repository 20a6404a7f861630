import { SkillError } from '@ambit/core';
import { type FileContent, partsOf } from '@ambit/core/workspace';
import { fileContent } from '@ambit/runtime';
import type { ByteRange } from './workspace-uri.ts';

/** Part of a file, or all of it. */
export interface FilePart {
  offset: number;
  /**
   * The requested number of bytes, as far as the file has them; up to three fewer where a character
   * would be cut.
   */
  bytes: Uint8Array;
  /** The digest of the whole file. */
  totalBytes: number;
}

/** The bytes of a range, of which nothing else is read. Throws `INPUT_INVALID` for an offset past the end. */
export async function bytesAt(
  path: string,
  content: Uint8Array | FileContent,
  { offset, length = content.length }: ByteRange,
): Promise<FilePart> {
  if (offset > content.length)
    throw new SkillError(
      'INPUT_INVALID',
      `${JSON.stringify(path)} has ${content.length} bytes, so offset ${offset} is past its end`,
    );
  const parts = await Array.fromAsync(partsOf(content, offset, offset + length), (part) => Buffer.from(part));
  const bytes = Buffer.concat(parts);
  return { offset, bytes, totalBytes: content.length };
}

/** The same for text: the part ends with a whole character. */
export async function textAt(
  path: string,
  content: Uint8Array | FileContent,
  range: ByteRange,
): Promise<FilePart> {
  const { length = content.length } = range;
  // With the byte after it, which shows whether a character is cut.
  const { bytes: some, ...part } = await bytesAt(path, content, { ...range, length: length + 1 });
  const bytes = some.subarray(0, length);
  let end = bytes.length;
  // A byte 10xxxxxx continues a character of up to four bytes.
  while (bytes.length - end < 3 && end > 1 && isContinuation(some[end])) end -= 1;
  const cut = isContinuation(some[end]) ? bytes : bytes.subarray(0, end);
  return { ...part, bytes: fileContent(cut).key === 'text' ? cut : bytes };
}

/** Describes the part, and how to continue. */
export function partText(path: string, { offset, bytes, totalBytes }: FilePart): string {
  const name = JSON.stringify(path);
  const end = offset + bytes.length;
  if (bytes.length === totalBytes) return `[${name}: all ${totalBytes} bytes]`;
  const which = `[${name}: ${bytes.length} bytes from offset ${offset}, of ${totalBytes}`;
  return end === totalBytes ? `${which}; this is the end]` : `${which}; to continue, use offset ${end}]`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
