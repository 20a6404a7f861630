/** @import { FolderNode, Node } from './files/nodes.mjs' */

const entryBytes = 24;

/**
 * Writes a folder's entries from `cookie` on, as far as they fit. The last entry may be cut off,
 * which shows a program that there are more. A name has a fixed position while others are added and
 * removed, so a program that deletes what it reads misses nothing.
 *
 * @param {FolderNode} folder
 * @param {bigint} cookie 0 for the start, otherwise the cookie of the last entry
 * @param {Uint8Array} target
 * @returns {number} the bytes written; fewer than the target's length at the end of the
 *   folder
 */
export function readFolder(folder, cookie, target) {
  let at = 0;
  for (const { name, node, place } of entriesFrom(folder, cookie)) {
    const encoded = Buffer.from(name);
    const entry = Buffer.alloc(entryBytes + encoded.length);
    entry.writeBigUInt64LE(place + 1n, 0);
    entry.writeBigUInt64LE(node.number, 8);
    entry.writeUInt32LE(encoded.length, 16);
    entry.writeUInt8(node.type, 20);
    entry.set(encoded, entryBytes);
    target.set(entry.subarray(0, target.length - at), at);
    at = Math.min(target.length, at + entry.length);
    if (at === target.length) break;
  }
  return at;
}

/**
 * @param {FolderNode} folder
 * @param {bigint} cookie
 * @returns {Generator<{ name: string, node: Node, place: bigint }>}
 */
function* entriesFrom(folder, cookie) {
  if (cookie <= 0n) yield { name: '.', node: folder, place: 0n };
  if (cookie <= 1n) yield { name: '..', node: folder.parent, place: 1n };
  for (const [name, { node, place }] of folder.entries) if (place >= cookie) yield { name, node, place };
}
