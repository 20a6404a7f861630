import type { KeyObject, X509Certificate } from 'node:crypto';
import type { EventReceipt, Inclusion, Receipt } from '@ambit/core/audit';
import { bytesOf, leafHash, provesInclusion } from '@ambit/core/merkle';
import { sha256 } from '../log/sha256.ts';
import { readCheckpoint } from '../sign/read-checkpoints.ts';
import { isSignedBy } from '../sign/signed.ts';
import { readLeaf } from './leaf.ts';
import { certifiedKey, signedHead } from './tree-key.ts';

/**
 * Whether the leaf is a checkpoint of this log that covers the receipt, the tree of the head has it, and the key of the named node
 * has signed the head. Without `authority`, any certificate of that node counts.
 */
export function isIncluded(
  receipt: Receipt | EventReceipt,
  { leaf, index, head, signer, proof }: Inclusion,
  publicKey: KeyObject,
  authority?: X509Certificate,
): boolean {
  const last = receipt.type === 'ambit/receipt/1' ? receipt.events.at(-1)?.sequence : receipt.sequence;
  const known = readLeaf(leaf);
  const checkpoint = known?.kind === 'checkpoint' ? readCheckpoint(known.signed) : undefined;
  const key = certifiedKey(signer.certificate, signer.node, authority);
  const tree = key && signedHead(head, [key]);
  const hashes = proof.map(bytesOf).filter((hash) => hash !== undefined);
  if (checkpoint === undefined || tree === undefined || hashes.length !== proof.length) return false;
  const { logId, sequence } = checkpoint.statement;
  return (
    logId === receipt.logId &&
    sequence >= (last ?? Number.POSITIVE_INFINITY) &&
    isSignedBy(publicKey, checkpoint) &&
    provesInclusion(sha256, { hash: leafHash(sha256, leaf), index }, tree, hashes)
  );
}
