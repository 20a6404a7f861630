import { spelling } from './spelling.ts';

/** Finds the places where any of many needles may begin, by the first `length` bytes of each. */
export interface Anchors<T> {
  /** Reports each place, in order. */
  find(bytes: Buffer, found: (item: T, at: number) => void): void;
  /** How many bytes at the end may be the start of an anchor that continues in the next chunk. */
  unfinished(bytes: Buffer): number;
}

/** Bytes that decide how far the search can skip. */
const block = 3;

/**
 * Searches for all anchors in one pass (Wu and Manber). If the three bytes at a position occur in
 * no anchor, no anchor can overlap them, so the search skips ahead and never reads most of a text.
 */
export function anchors<T>(items: readonly (readonly [Buffer, T])[], length: number): Anchors<T> {
  const farthest = length - block + 1;
  const steps = new Uint8Array(0x8000).fill(farthest);
  const ending = new Map<number, (readonly [Buffer, T])[]>();
  const beginnings = new Set<string>();
  for (const item of items) {
    const [bytes] = item;
    for (let end = block - 1; end < length; end++) {
      const hash = hashAt(bytes, end);
      steps[hash] = Math.min(steps[hash] ?? 0, length - 1 - end);
    }
    const last = hashAt(bytes, length - 1);
    ending.set(last, [...(ending.get(last) ?? []), item]);
    for (let end = 1; end < length; end++) beginnings.add(bytes.toString('latin1', 0, end));
  }
  return {
    find(bytes, found) {
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
    },
    unfinished(bytes) {
      const end = bytes.subarray(-(length - 1)).map((byte) => spelling[byte] ?? 0);
      const text = Buffer.from(end).toString('latin1');
      let first = 0;
      while (first < text.length && !beginnings.has(text.slice(first))) first++;
      return text.length - first;
    },
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
