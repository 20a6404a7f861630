import type { Sha256 } from '../audit/chain.ts';
import { nodeHash } from './tree.ts';

/** A tree: its number of leaves, and the hash over them. */
export interface TreeHash {
  size: number;
  root: Uint8Array;
}

/** Whether a proof shows that the leaf with this hash is at `index` of a tree (RFC 9162, section 2.1.3.2). */
export function provesInclusion(
  sha256: Sha256,
  { hash, index }: { hash: Uint8Array; index: number },
  { size, root }: TreeHash,
  proof: readonly Uint8Array[],
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  let [node, last] = [index, size - 1];
  let computed = hash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isRight(node) || node === last) {
      computed = nodeHash(sha256, sibling, computed);
      while (!isRight(node) && node !== 0) [node, last] = [parentOf(node), parentOf(last)];
    } else computed = nodeHash(sha256, computed, sibling);
    [node, last] = [parentOf(node), parentOf(last)];
  }
  return last === 0 && isEqual(computed, root);
}

function isRight(node: number): boolean {
  return node % 2 === 1;
}

function parentOf(node: number): number {
  return Math.floor(node / 2);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
