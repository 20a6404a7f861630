import { getRandomValues } from 'node:crypto';
import { spelling } from './spelling.ts';

/**
 * Finds the places where any of many needles may begin, by the last `length` bytes of each. Every byte
 * takes the same time unless all of those occur (Karp and Rabin, with a random hash): a search that
 * skips bytes takes longer where a part of a needle occurs, so a needle could be guessed byte by byte.
 * Reports a place only if the first `length` bytes match too.
 */
export function anchors<T>(
  items: readonly (readonly [Buffer, T])[],
  length: number,
): (bytes: Buffer, found: (item: T, at: number) => void) => void {
  const random = getRandomValues(new Int32Array(257));
  const factor = (random[256] ?? 0) | 1;
  const entering = Int32Array.from(spelling, (spelled) => random[spelled] ?? 0);
  let power = 1;
  for (let index = 0; index < length; index++) power = Math.imul(power, factor);
  const leaving = entering.map((value) => Math.imul(value, power));
  const marks = new Uint8Array(0x8000);
  const ending = new Map<number, (readonly [Buffer, T])[]>();
  for (const item of items) {
    let hash = 0;
    for (const byte of item[0].subarray(-length))
      hash = (Math.imul(hash, factor) + (entering[byte] ?? 0)) | 0;
    marks[hash >>> 17] = 1;
    ending.set(hash, [...(ending.get(hash) ?? []), item]);
  }
  return (bytes, found) => {
    let hash = 0;
    for (let at = 0; at < bytes.length; at++) {
      hash = (Math.imul(hash, factor) + (entering[bytes[at] ?? 0] ?? 0)) | 0;
      if (at >= length) hash = (hash - (leaving[bytes[at - length] ?? 0] ?? 0)) | 0;
      if (marks[hash >>> 17] !== 1) continue;
      for (const [needle, item] of ending.get(hash) ?? []) {
        const from = at + 1 - needle.length;
        if (from >= 0 && matchesAt(needle, length, bytes, from)) found(item, from);
      }
    }
  };
}

function matchesAt(needle: Buffer, length: number, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < length; index++)
    if (spelling[bytes[from + index] ?? 0] !== needle[index]) return false;
  return true;
}
