import { canonicalJson } from '@ambit/core/json';
import { z } from 'zod';

/** A node's signed checkpoint, as the JSON text that its log has. */
const CheckpointLeaf = z.strictObject({ kind: z.literal('checkpoint'), node: z.int(), signed: z.string() });

/**
 * A node's statement about its log before its first event is sent: the node's key vouches for the log's first key. `statement` is
 * canonical JSON, `signature` Ed25519 in base64.
 */
const LogLeaf = z.strictObject({
  kind: z.literal('log'),
  node: z.int(),
  statement: z.string(),
  signature: z.string(),
});

/** An entry of the cluster's log: a node joined, retired or was lost. `node` is the one that signed it. */
const NodeLeaf = z.strictObject({
  kind: z.literal('node'),
  node: z.int(),
  statement: z.string(),
  signature: z.string(),
});

/** A leaf of the tree of a cluster: something that one of its nodes has signed. */
const Leaf = z.discriminatedUnion('kind', [CheckpointLeaf, LogLeaf, NodeLeaf]);
export type Leaf = z.output<typeof Leaf>;

/** The content of a log's `statement`. */
export const LogStatement = z.strictObject({
  type: z.literal('ambit/node-log/1'),
  node: z.int(),
  logId: z.string(),
  /** SPKI in PEM. */
  publicKey: z.string(),
});

/** The text of a leaf, over which it is hashed. */
export function leafText(leaf: Leaf): string {
  return canonicalJson(leaf);
}

/** Parses a leaf; `undefined` if it is not one. */
export function readLeaf(text: string): Leaf | undefined {
  try {
    return Leaf.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
