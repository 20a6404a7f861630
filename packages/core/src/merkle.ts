/** Merkle trees: hashing, proofs, tiles and signed heads. */

export { provesInclusion } from './merkle/check-proof.ts';
export {
  base64,
  bytesOf,
  noteKeyId,
  noteText,
  readNote,
  readTreeHead,
  type TreeHead,
  treeHeadText,
} from './merkle/signed-note.ts';
export {
  hashFromTiles,
  readTilePath,
  rootFromTiles,
  type Tile,
  tilesOf,
  widthIn,
  withLeaves,
} from './merkle/tiles.ts';
export { inclusionPath, leafHash } from './merkle/tree.ts';
