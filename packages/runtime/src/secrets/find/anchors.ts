import { spelling } from './spelling.ts';

/** Bytes that decide how far the search can skip. */
const block = 3;

/**
 * Finds the places where any of many needles may begin, by the first `length` bytes of each, and
 * reports them in order. One pass for all of them (Wu and Manber): if the three bytes at a position
 * occur in no beginning, no beginning can overlap them, so the search skips ahead and never reads
 * most of a text.
 */
export function anchors<T>(
  items: readonly (readonly [Buffer, T])[],
  length: number,
): (bytes: Buffer, found: (item: T, at: number) => void) => void {
  const farthest = length - block + 1;
  const steps = new Uint8Array(0x8000).fill(farthest);
  const ending = new Map<number, (readonly [Buffer, T])[]>();
  for (const item of items) {
    const [bytes] = item;
    for (let end = block - 1; end < length; end++) {
      const hash = hashAt(bytes, end);
      steps[hash] = Math.min(steps[hash] ?? 0, length - 1 - end);
    }
    const last = hashAt(bytes, length - 1);
    ending.set(last, [...(ending.get(last) ?? []), item]);
  }
  return (bytes, found) => {
    for (let at = length - 1; at < bytes.length; ) {
      const hash = hashAt(bytes, at);
      const step = steps[hash] ?? 1;
      if (step === 0) {
        const from = at - length + 1;
        for (const [anchor, item] of ending.get(hash) ?? [])
          if (matchesAt(anchor, length, bytes, from)) found(item, from);
      }
      at += step || 1;
    }
  };
}

function hashAt(bytes: Buffer, at: number): number {
  const [first, second, third] = [bytes[at - 2] ?? 0, bytes[at - 1] ?? 0, bytes[at] ?? 0];
  return (((spelling[first] ?? 0) << 10) ^ ((spelling[second] ?? 0) << 5) ^ (spelling[third] ?? 0)) & 0x7fff;
}

function matchesAt(anchor: Buffer, length: number, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < length; index++)
    if (spelling[bytes[from + index] ?? 0] !== anchor[index]) return false;
  return true;
}
