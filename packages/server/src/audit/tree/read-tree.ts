import type { Inclusion } from '@ambit/core/audit';
import { base64, hashFromTiles, inclusionPath, readTilePath, tilesOf } from '@ambit/core/merkle';
import { rowsOf, sql, type Transaction } from '../../store/statement.ts';
import { sha256 } from '../log/sha256.ts';
import { reader, readTiles } from './extend-tree.ts';

/** The last signed head, as a note; `undefined` for an empty tree. */
export function* lastHead(): Transaction<string | undefined> {
  const [head] = yield* rowsOf<{ note: string }>(sql`SELECT note FROM tree_heads ORDER BY size DESC LIMIT 1`);
  return head?.note;
}

/** Reads the file at a path below the prefix of the log: `tile/…` of C2SP tlog-tiles. `undefined` if it does not exist. */
export function* treeFile(path: string): Transaction<Uint8Array | undefined> {
  const tile = readTilePath(path);
  if (tile === undefined) return undefined;
  const { level, index, width } = tile;
  if (level !== 'entries') {
    const [found] = yield* readTiles([{ level, number: index }]);
    return found !== undefined && found.hashes.length >= 32 * width
      ? found.hashes.slice(0, 32 * width)
      : undefined;
  }
  const leaves = yield* rowsOf<{ leaf: string }>(
    sql`SELECT leaf FROM tree_leaves WHERE number >= ${index * 256} AND number < ${index * 256 + width} ORDER BY number`,
  );
  return leaves.length === width ? bundleOf(leaves.map(({ leaf }) => leaf)) : undefined;
}

/** Entries, each after its length in two bytes. */
function bundleOf(entries: readonly string[]): Uint8Array {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const bytes = Buffer.from(entry);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** Proof that the tree has the first checkpoint that covers an event. `undefined` until a checkpoint that covers the event is in the tree. */
export function* inclusionOf(node: number, sequence: number): Transaction<Inclusion | undefined> {
  const [found] = yield* rowsOf<{
    number: number;
    leaf: string;
    size: number;
    note: string;
    signer: number;
    certificate: string;
  }>(
    sql`SELECT number, leaf, heads.size, note, heads.node AS signer, certificate FROM tree_leaves,
        (SELECT size, note, node FROM tree_heads ORDER BY size DESC LIMIT 1) AS heads JOIN nodes ON nodes.id = heads.node
      WHERE tree_leaves.node = ${node} AND sequence >= ${sequence} ORDER BY sequence LIMIT 1`,
  );
  if (found === undefined) return undefined;
  const { number: index, leaf, size, note: head, signer, certificate } = found;
  const path = inclusionPath(index, size);
  const tiles = yield* readTiles(
    tilesOf(path.flat()).map((tile) => ({ level: tile.level, number: tile.index })),
  );
  const read = reader(tiles);
  return {
    leaf,
    index,
    head,
    signer: { node: signer, certificate },
    proof: path.map((subtrees) => base64(hashFromTiles(sha256, size, subtrees, read))),
  };
}
