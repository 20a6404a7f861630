import { leafHash, rootFromTiles, type Tile, widthIn, withLeaves } from '@ambit/core/merkle';
import { rowsOf, sql, type Transaction } from '../../store/statement.ts';
import { sha256 } from '../log/sha256.ts';
import { leafText } from './leaf.ts';
import type { NodeSigner } from './tree-key.ts';

/** The tree in the database does not have the hash that its last head signs: nothing is added to it. */
export class BrokenTreeError extends Error {
  override readonly name = 'BrokenTreeError';
}

const leavesMax = 1000;

/**
 * Adds what waits to the tree, and signs its new head. Returns how many leaves it added: 0 if nothing waits or another node is
 * adding. Throws a `BrokenTreeError`.
 */
export function* extendTree(node: number, signer: NodeSigner): Transaction<number> {
  const [tree] = yield* rowsOf<{ origin: string; size: number; root: string; entries: number }>(
    sql`SELECT origin, size, root, entries FROM tree FOR UPDATE SKIP LOCKED`,
  );
  if (tree === undefined) return 0;
  const { origin, size } = tree;
  const pending = yield* rowsOf<{ id: number; leaf: string; node: number | null; sequence: number | null }>(
    sql`SELECT id, leaf, node, sequence FROM tree_pending ORDER BY id LIMIT ${leavesMax}`,
  );
  const entries = yield* rowsOf<{ sequence: number; statement: string; node: number; signature: string }>(
    sql`SELECT sequence, statement, node, signature FROM cluster_log WHERE sequence > ${tree.entries}
      ORDER BY sequence LIMIT ${leavesMax}`,
  );
  const leaves = [
    ...entries.map(({ sequence: _, ...entry }) => ({
      leaf: leafText({ kind: 'node', ...entry }),
      node: null,
      sequence: null,
    })),
    ...pending,
  ];
  if (leaves.length === 0) return 0;
  const tiles = yield* incompleteTiles(size);
  const read = reader(tiles);
  if (Buffer.from(rootFromTiles(sha256, size, read)).toString('hex') !== tree.root)
    throw new BrokenTreeError('its tiles do not match its last head; run "ambit audit verify --cluster"');
  const hashes = leaves.map(({ leaf }) => leafHash(sha256, leaf));
  const changed = withLeaves(sha256, size, (level) => incompleteAt(size, level, read), hashes);
  const now = size + leaves.length;
  const root = rootFromTiles(sha256, now, reader([...tiles, ...changed]));
  yield sql`INSERT INTO tree_tiles (level, number, hashes)
    SELECT level, number, decode(hashes, 'hex') FROM json_to_recordset(${JSON.stringify(
      changed.map(({ level, index, hashes: bytes }) => ({
        level,
        number: index,
        hashes: Buffer.from(bytes).toString('hex'),
      })),
    )}) AS given (level INTEGER, number BIGINT, hashes TEXT)
    ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes`;
  yield sql`INSERT INTO tree_leaves (number, leaf, node, sequence)
    SELECT number, leaf, node, sequence FROM json_to_recordset(${JSON.stringify(
      leaves.map(({ leaf, node: of, sequence }, at) => ({ number: size + at, leaf, node: of, sequence })),
    )}) AS given (number BIGINT, leaf TEXT, node INTEGER, sequence BIGINT)`;
  yield sql`INSERT INTO tree_heads (size, node, note) VALUES (${now}, ${node}, ${signer.signHead({ origin, size: now, root })})`;
  yield sql`DELETE FROM tree_pending WHERE id IN (
    SELECT value::BIGINT FROM json_array_elements_text(${JSON.stringify(pending.map(({ id }) => id))}))`;
  yield sql`UPDATE tree SET size = ${now}, root = ${Buffer.from(root).toString('hex')},
    entries = ${entries.at(-1)?.sequence ?? tree.entries}`;
  return leaves.length;
}

/** The last tile of each level: those whose hashes the root is computed from. */
function* incompleteTiles(size: number): Transaction<readonly Tile[]> {
  const places: { level: number; number: number }[] = [];
  for (let level = 0; size >= 256 ** level; level += 1)
    places.push({ level, number: Math.floor((Math.floor(size / 256 ** level) - 1) / 256) });
  return yield* readTiles(places);
}

/** Tiles by their places. Missing ones are left out. */
export function* readTiles(
  places: readonly { level: number; number: number }[],
): Transaction<readonly Tile[]> {
  const rows = yield* rowsOf<{ level: number; number: number; hashes: Uint8Array }>(
    sql`SELECT level, number, hashes FROM tree_tiles
      JOIN json_to_recordset(${JSON.stringify(places)}) AS given (level INTEGER, number BIGINT) USING (level, number)`,
  );
  return rows.map(({ level, number, hashes }) => ({ level, index: number, hashes }));
}

/** Reads from these tiles, of which later ones replace earlier ones. Throws a `BrokenTreeError` for a missing or short one. */
export function reader(tiles: readonly Tile[]) {
  const byPlace = new Map(tiles.map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]));
  return (level: number, index: number, width: number): Uint8Array => {
    const hashes = byPlace.get(`${level}/${index}`);
    if (hashes === undefined || hashes.length < 32 * width)
      throw new BrokenTreeError(
        `its tile ${level}/${index} is missing or too short; run "ambit audit verify --cluster"`,
      );
    return hashes.subarray(0, 32 * width);
  };
}

function incompleteAt(size: number, level: number, read: ReturnType<typeof reader>): Uint8Array {
  const index = Math.floor(Math.floor(size / 256 ** level) / 256);
  return read(level, index, widthIn(size, level, index));
}
