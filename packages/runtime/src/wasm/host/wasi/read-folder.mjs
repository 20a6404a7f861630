/** @import { FolderNode, Node } from './files/nodes.mjs' */

const entryBytes = 24;

/**
 * Writes a folder's entries, those from `cookie` on, as far as there is room; the last may be cut off, which tells a program that
 * there are more. A name keeps its place while others come and go, so that a program that deletes what it reads misses nothing.
 *
 * @param {FolderNode} folder
 * @param {bigint} cookie 0 for the start, else what came with the last entry that was read
 * @param {Uint8Array} target
 * @returns {number} how many bytes were written; fewer than there is room for at the end of the folder
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
