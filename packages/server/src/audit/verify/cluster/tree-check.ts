import type { KeyObject } from 'node:crypto';
import type { ClusterFinding } from '@ambit/core/audit';
import { leafHash, rootFromTiles, type Tile, withLeaves } from '@ambit/core/merkle';
import type { Transactions } from '../../../store/postgres/transactions.ts';
import { sql } from '../../../store/statement.ts';
import { sha256 } from '../../log/sha256.ts';
import { type Leaf, readLeaf } from '../../tree/leaf.ts';
import { signedHead } from '../../tree/tree-key.ts';

/** The tree of a cluster as it was read. */
export interface CheckedTree {
  origin: string;
  size: number;
  heads: number;
  /** In order. What is not a leaf is a finding. */
  leaves: readonly (Leaf | undefined)[];
  findings: readonly ClusterFinding[];
}

const pageLeaves = 2000;

/**
 * Computes the tree anew from its leaves, and compares it with its tiles and with every head that a node has signed. A head with
 * another hash shows that a leaf was changed, removed or inserted after it was signed.
 */
export async function checkTree(
  { read }: Pick<Transactions, 'read'>,
  nodeKeys: readonly KeyObject[],
): Promise<CheckedTree> {
  const findings: ClusterFinding[] = [];
  const note = (reason: ClusterFinding['reason'], message: string): void =>
    void findings.push({ reason, node: null, sequence: null, message });
  const [tree] = (await read(sql`SELECT origin, size, root FROM tree`)) as {
    origin: string;
    size: number;
    root: string;
  }[];
  const { origin = '', size = 0, root = '' } = tree ?? {};
  if (tree === undefined) note('tree', 'the row of the tree was removed');

  const leaves: (Leaf | undefined)[] = [];
  const tiles = new Map<string, Tile>();
  const hashesAt = (level: number, index: number): Uint8Array =>
    tiles.get(`${level}/${index}`)?.hashes ?? new Uint8Array();
  for (let at = 0; at < size; ) {
    const rows = (await read(
      sql`SELECT number, leaf FROM tree_leaves WHERE number >= ${at} AND number < ${Math.min(size, at + pageLeaves)} ORDER BY number`,
    )) as { number: number; leaf: string }[];
    const gap = rows.findIndex(({ number }, offset) => number !== at + offset);
    const whole = gap === -1 ? rows : rows.slice(0, gap);
    for (const { number, leaf } of whole) {
      const known = readLeaf(leaf);
      if (known === undefined) note('tree', `leaf ${number} of the tree is not a statement of a node`);
      leaves.push(known);
    }
    const incomplete = (level: number): Uint8Array =>
      hashesAt(level, Math.floor(Math.floor(at / 256 ** level) / 256));
    for (const tile of withLeaves(
      sha256,
      at,
      incomplete,
      whole.map(({ leaf }) => leafHash(sha256, leaf)),
    ))
      tiles.set(`${tile.level}/${tile.index}`, tile);
    at += whole.length;
    if (whole.length < Math.min(pageLeaves, size - at + whole.length)) {
      note('tree', `leaf ${at} of the tree is missing, and the tree has ${size}`);
      break;
    }
  }
  const rootAt = (leafCount: number): string =>
    Buffer.from(rootFromTiles(sha256, leafCount, hashesAt)).toString('hex');

  const heads = (await read(
    sql`SELECT size, node, note FROM tree_heads WHERE size <= ${size} ORDER BY size`,
  )) as {
    size: number;
    node: number;
    note: string;
  }[];
  for (const each of heads) {
    const head = signedHead(each.note, nodeKeys);
    if (head === undefined || head.size !== each.size || head.origin !== origin)
      note(
        'tree-forged',
        `the head of the tree at ${each.size} leaves is not signed by a node of the cluster`,
      );
    else if (head.size <= leaves.length && rootAt(head.size) !== Buffer.from(head.root).toString('hex'))
      note(
        'tree',
        `the tree was rewritten: its first ${head.size} leaves are not the ones that node ${each.node} has signed`,
      );
  }
  if (size > 0 && heads.at(-1)?.size !== size)
    note('tree', `the tree has ${size} leaves, and no signed head covers the last ones`);
  if (leaves.length === size && rootAt(size) !== root)
    note('tree', 'the stored hash of the tree is not the one of its leaves');
  const stored = (await read(sql`SELECT level, number, hashes FROM tree_tiles ORDER BY level, number`)) as {
    level: number;
    number: number;
    hashes: Uint8Array;
  }[];
  if (leaves.length === size) {
    const found = new Map(stored.map((tile) => [`${tile.level}/${tile.number}`, Buffer.from(tile.hashes)]));
    for (const [place, { hashes }] of tiles)
      if (found.get(place)?.subarray(0, hashes.length).equals(hashes) !== true)
        note('tree', `tile ${place} of the tree does not match its leaves`);
  }
  return { origin, size, heads: heads.length, leaves, findings };
}
