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

/** Whether `proof` shows that `after` only adds leaves to `before` (RFC 9162, section 2.1.4.2). */
export function provesConsistency(
  sha256: Sha256,
  before: TreeHash,
  after: TreeHash,
  proof: readonly Uint8Array[],
): boolean {
  if (before.size > after.size) return false;
  if (before.size === after.size) return proof.length === 0 && isEqual(before.root, after.root);
  if (before.size === 0) return proof.length === 0 && isEqual(before.root, sha256());
  const isComplete = Number.isInteger(Math.log2(before.size));
  const [first, ...others] = isComplete ? [before.root, ...proof] : proof;
  if (first === undefined || (isComplete && proof.length === 0)) return false;
  let [node, last] = [before.size - 1, after.size - 1];
  while (isRight(node)) [node, last] = [parentOf(node), parentOf(last)];
  let [smaller, larger] = [first, first];
  for (const sibling of others) {
    if (last === 0) return false;
    if (isRight(node) || node === last) {
      smaller = nodeHash(sha256, sibling, smaller);
      larger = nodeHash(sha256, sibling, larger);
      while (!isRight(node) && node !== 0) [node, last] = [parentOf(node), parentOf(last)];
    } else larger = nodeHash(sha256, larger, sibling);
    [node, last] = [parentOf(node), parentOf(last)];
  }
  return last === 0 && isEqual(smaller, before.root) && isEqual(larger, after.root);
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
