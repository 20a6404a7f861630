import type { Sha256 } from '../audit/chain.ts';
import { hashOf, nodeHash, type Subtree, subtreesOf } from './tree.ts';

/** Up to 256 hashes of one level of a tree, 32 bytes each: C2SP tlog-tiles. Level 0 has the leaves, level 1 the roots of full tiles of level 0. */
export interface Tile {
  level: number;
  index: number;
  hashes: Uint8Array;
}

/** The hashes in a full tile. */
const tileWidth = 256;
const tileHeight = 8;
const hashBytes = 32;

/** The number of hashes that a tile has in a tree of `size` leaves; 0 if it does not exist. */
export function widthIn(size: number, level: number, index: number): number {
  const hashes = Math.floor(size / tileWidth ** level);
  return Math.max(0, Math.min(tileWidth, hashes - index * tileWidth));
}

/** The path of a tile below a log's prefix, such as `tile/0/x001/234.p/5`. `entries` has leaves instead of hashes. */
function tilePath(level: number | 'entries', index: number, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? [];
  const last = groups.pop();
  return (
    ['tile', level, ...groups.map((group) => `x${group}`), last].join('/') +
    (width < tileWidth ? `.p/${width}` : '')
  );
}

/** Parses such a path; `undefined` for any other text, such as one with leading zeros. */
export function readTilePath(
  path: string,
): { level: number | 'entries'; index: number; width: number } | undefined {
  const [, shown = '', groups = '', partial] =
    /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  const level = shown === 'entries' ? shown : Number(shown);
  const [index, width] = [Number(groups.replace(/[x/]/g, '')), Number(partial ?? tileWidth)];
  return shown !== '' && tilePath(level, index, width) === path && width > 0
    ? { level, index, width }
    : undefined;
}

/** Adds leaves to a tree of `size` leaves, given its incomplete tiles by level. Returns every tile that changes. */
export function withLeaves(
  sha256: Sha256,
  size: number,
  incomplete: (level: number) => Uint8Array,
  leaves: readonly Uint8Array[],
): Tile[] {
  const changed: Tile[] = [];
  let added = leaves;
  for (let level = 0; added.length > 0; level += 1) {
    const before = Math.floor(size / tileWidth ** level);
    const index = Math.floor(before / tileWidth);
    const hashes = joined([before % tileWidth === 0 ? new Uint8Array() : incomplete(level), ...added]);
    const roots: Uint8Array[] = [];
    for (let at = 0; at * tileWidth * hashBytes < hashes.length; at += 1) {
      const some = hashes.slice(at * tileWidth * hashBytes, (at + 1) * tileWidth * hashBytes);
      changed.push({ level, index: index + at, hashes: some });
      if (some.length === tileWidth * hashBytes) roots.push(completeHash(sha256, some));
    }
    added = roots;
  }
  return changed;
}

/** Reads the hashes of a tile, at least the first `width`. */
export type ReadTile = (level: number, index: number, width: number) => Uint8Array;

/** The hash over subtrees that are next to each other, from the tiles of a tree of `size` leaves. */
export function hashFromTiles(
  sha256: Sha256,
  size: number,
  subtrees: readonly Subtree[],
  read: ReadTile,
): Uint8Array {
  const hashes = subtrees.map(({ level, index }) => {
    const tile = Math.floor(level / tileHeight);
    const [first, count] = [index * 2 ** (level % tileHeight), 2 ** (level % tileHeight)];
    const at = Math.floor(first / tileWidth);
    const from = (first % tileWidth) * hashBytes;
    return completeHash(
      sha256,
      read(tile, at, widthIn(size, tile, at)).subarray(from, from + count * hashBytes),
    );
  });
  return hashOf(sha256, hashes);
}

/** The hash of a tree of `size` leaves. */
export function rootFromTiles(sha256: Sha256, size: number, read: ReadTile): Uint8Array {
  return hashFromTiles(sha256, size, subtreesOf(0, size), read);
}

/** The tiles that `hashFromTiles` reads for subtrees. */
export function tilesOf(subtrees: readonly Subtree[]): Pick<Tile, 'level' | 'index'>[] {
  return subtrees.map(({ level, index }) => ({
    level: Math.floor(level / tileHeight),
    index: Math.floor((index * 2 ** (level % tileHeight)) / tileWidth),
  }));
}

/** The root of a power of two of hashes. */
function completeHash(sha256: Sha256, hashes: Uint8Array): Uint8Array {
  let level: Uint8Array[] = Array.from({ length: hashes.length / hashBytes }, (_, at) =>
    hashes.slice(at * hashBytes, (at + 1) * hashBytes),
  );
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, at) =>
      nodeHash(sha256, level[2 * at] ?? new Uint8Array(), level[2 * at + 1] ?? new Uint8Array()),
    );
  return level[0] ?? new Uint8Array();
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
