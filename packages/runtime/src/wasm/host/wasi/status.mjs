/** @import { GuestMemory } from './guest-memory.mjs' */
/** @import { OpenFile } from './open-files.mjs' */
/** @import { Node } from './files/nodes.mjs' */
import { errno, WasiError } from './errno.mjs';
import { fileType } from './files/nodes.mjs';

/**
 * Writes the status of a file (WASI's `filestat`); for a stream, all zeros.
 *
 * @param {GuestMemory} memory
 * @param {number} address
 * @param {Node | undefined} node
 */
export function writeFileStatus(memory, address, node) {
  const status = memory.view(address, 64);
  memory.bytes(address, 64).fill(0);
  if (node === undefined) return;
  status.setBigUint64(0, node.volume.number, true);
  status.setBigUint64(8, node.number, true);
  status.setUint8(16, node.type);
  status.setBigUint64(24, BigInt(Math.max(1, node.names)), true);
  status.setBigUint64(32, BigInt(node.size), true);
  status.setBigUint64(40, node.accessedAt, true);
  status.setBigUint64(48, node.modifiedAt, true);
  status.setBigUint64(56, node.changedAt, true);
}

/**
 * Writes the status of a descriptor (WASI's `fdstat`). A stream has an unknown type, so that no
 * program takes it for a terminal.
 *
 * @param {GuestMemory} memory
 * @param {number} address
 * @param {OpenFile} open
 */
export function writeDescriptorStatus(memory, address, { node, flags, rights, inheriting }) {
  const status = memory.view(address, 24);
  memory.bytes(address, 24).fill(0);
  status.setUint8(0, node?.type ?? fileType.unknown);
  status.setUint16(2, flags, true);
  status.setBigUint64(8, rights, true);
  status.setBigUint64(16, inheriting, true);
}

/** The flags for the times to set (WASI's `fstflags`). */
const accessed = 1;
const accessedNow = 2;
const modified = 4;
const modifiedNow = 8;

/**
 * Sets the times of a file. Throws `inval` for flags that contradict each other, and `rofs`.
 *
 * @param {Node | undefined} node
 * @param {bigint} accessedAt
 * @param {bigint} modifiedAt
 * @param {number} flags
 */
export function setTimes(node, accessedAt, modifiedAt, flags) {
  const both = (/** @type {number} */ bits) => (flags & bits) === bits;
  if (flags > 15 || both(accessed | accessedNow) || both(modified | modifiedNow))
    throw new WasiError(errno.inval);
  if (node === undefined) throw new WasiError(errno.notsup);
  if (node.volume.isReadOnly) throw new WasiError(errno.rofs);
  const now = node.volume.disk.now();
  if (flags & accessed) node.accessedAt = BigInt.asUintN(64, accessedAt);
  if (flags & accessedNow) node.accessedAt = now;
  if (flags & modified) node.modifiedAt = BigInt.asUintN(64, modifiedAt);
  if (flags & modifiedNow) node.modifiedAt = now;
  node.changedAt = now;
}
