import { SkillError } from '@ambit/core';
import { fileContent } from '@ambit/runtime';
import type { ByteRange } from './workspace-uri.ts';

/** Part of a file, or all of it. */
export interface FilePart {
  offset: number;
  /** As many as were asked for and are there; less by up to three where a character of a text would be cut. */
  bytes: Uint8Array;
  /** Of the whole file. */
  totalBytes: number;
}

/** The bytes of a range. Throws `INPUT_INVALID` for an offset beyond the end. */
export function bytesAt(
  path: string,
  content: Uint8Array,
  { offset, length = content.length }: ByteRange,
): FilePart {
  if (offset > content.length)
    throw new SkillError(
      'INPUT_INVALID',
      `${JSON.stringify(path)} has ${content.length} bytes, so nothing is at offset ${offset}`,
    );
  return { offset, bytes: content.subarray(offset, offset + length), totalBytes: content.length };
}

/** The same for a reader of text: the part ends with a whole character. */
export function textAt(path: string, content: Uint8Array, range: ByteRange): FilePart {
  const part = bytesAt(path, content, range);
  const { offset, bytes } = part;
  let end = bytes.length;
  // A byte 10xxxxxx continues a character of at most four.
  while (bytes.length - end < 3 && end > 1 && isContinuation(content[offset + end])) end -= 1;
  const cut = isContinuation(content[offset + end]) ? bytes : bytes.subarray(0, end);
  return fileContent(cut).key === 'text' ? { ...part, bytes: cut } : part;
}

/** Which part it is, and how to read on. */
export function partText(path: string, { offset, bytes, totalBytes }: FilePart): string {
  const name = JSON.stringify(path);
  const end = offset + bytes.length;
  if (bytes.length === totalBytes) return `[${name}: all ${totalBytes} bytes]`;
  const which = `[${name}: ${bytes.length} bytes from offset ${offset}, of ${totalBytes}`;
  return end === totalBytes ? `${which}; this is the end]` : `${which}; to read on, use offset ${end}]`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
