import type { Sha256 } from '../audit/chain.ts';

/** A complete subtree: the leaves from `index * 2 ** level` on, `2 ** level` of them. */
export interface Subtree {
  level: number;
  index: number;
}

/** The hash of a leaf (RFC 6962, section 2.1). */
export function leafHash(sha256: Sha256, leaf: Uint8Array | string): Uint8Array {
  return sha256(leafPrefix, leaf);
}

/** The hash of a node with two children. */
export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(nodePrefix, left, right);
}

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** The complete subtrees that the leaves from `from` up to `to` consist of, left to right. `from` is a multiple of the largest. */
export function subtreesOf(from: number, to: number): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = from; at < to; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level += 1;
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}

/** The hash over subtrees that are next to each other, left to right; over none, the hash of the empty tree. */
export function hashOf(sha256: Sha256, subtrees: readonly Uint8Array[]): Uint8Array {
  return subtrees.length === 0
    ? sha256()
    : subtrees.reduceRight((right, left) => nodeHash(sha256, left, right));
}

/**
 * The subtrees that each hash of an inclusion proof covers, in the order of the proof (RFC 6962, section 2.1.1). Throws a
 * `RangeError` unless `index < size`.
 */
export function inclusionPath(index: number, size: number): Subtree[][] {
  if (index < 0 || index >= size) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  const path: Subtree[][] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from);
    path.push(index < middle ? subtreesOf(middle, to) : subtreesOf(from, middle));
    if (index < middle) to = middle;
    else from = middle;
  }
  return path.reverse();
}

function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}
