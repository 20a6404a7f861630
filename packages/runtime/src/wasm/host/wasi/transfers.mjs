/** @import { GuestMemory } from './guest-memory.mjs' */
/** @import { OpenFiles } from './open-files.mjs' */
import { lengthOf } from './descriptors.mjs';
import { errno, WasiError } from './errno.mjs';
import { FolderNode } from './files/nodes.mjs';
import { right } from './rights.mjs';

const vectorsMax = 1024;
const vectorBytes = 8;
const append = 1;
const whence = { set: 0, current: 1, end: 2 };

/**
 * The functions that read, write and seek. They throw `WasiError`.
 *
 * @param {GuestMemory} memory
 * @param {OpenFiles} open
 */
export function transferFunctions(memory, open) {
  /**
   * The memory ranges of a list of vectors.
   *
   * @param {number} address
   * @param {number} count
   * @returns {Uint8Array[]}
   */
  const vectors = (address, count) => {
    const list = memory.view(address, count * vectorBytes);
    return Array.from({ length: count }, (_, index) =>
      memory.bytes(list.getUint32(index * vectorBytes, true), list.getUint32(index * vectorBytes + 4, true)),
    );
  };

  /**
   * Moves bytes between a descriptor and vectors, and writes their number to `countAt`. Bytes moved
   * before a failure count.
   *
   * @param {(part: Uint8Array) => number} move
   * @param {number} address
   * @param {number} count
   * @param {number} countAt
   */
  const transfer = (move, address, count, countAt) => {
    if (count >>> 0 > vectorsMax) return errno.inval;
    let total = 0;
    for (const part of vectors(address, count)) {
      const moved = total > 0 ? movedOrNone(move, part) : move(part);
      total += moved;
      if (moved < part.length) break;
    }
    memory.setU32(countAt, total);
    return errno.success;
  };

  /** The file of a descriptor with this right. @param {number} descriptor @param {bigint} needed */
  const fileFor = (descriptor, needed) => {
    const file = open.file(descriptor);
    if ((file.open.rights & needed) === 0n) throw new WasiError(errno.badf);
    return file;
  };

  return {
    fd_read: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ count,
      /** @type {number} */ countAt,
    ) => {
      const { stream, rights } = open.get(descriptor);
      if (stream !== undefined) {
        if (stream.read === undefined || (rights & right.read) === 0n) return errno.badf;
        return transfer(stream.read, address, count, countAt);
      }
      const { open: opened, node } = fileFor(descriptor, right.read);
      const read = (/** @type {Uint8Array} */ part) => {
        const length = node.read(part, opened.at);
        opened.at += length;
        return length;
      };
      return transfer(read, address, count, countAt);
    },
    fd_pread: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ count,
      /** @type {bigint} */ offset,
      /** @type {number} */ countAt,
    ) => {
      const { node } = fileFor(descriptor, right.read);
      let at = lengthOf(offset);
      const read = (/** @type {Uint8Array} */ part) => {
        const length = node.read(part, at);
        at += length;
        return length;
      };
      return transfer(read, address, count, countAt);
    },
    fd_write: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ count,
      /** @type {number} */ countAt,
    ) => {
      const { stream, rights } = open.get(descriptor);
      if (stream !== undefined) {
        const { write } = stream;
        if (write === undefined || (rights & right.write) === 0n) return errno.badf;
        const takeAll = (/** @type {Uint8Array} */ part) => {
          write(part);
          return part.length;
        };
        return transfer(takeAll, address, count, countAt);
      }
      const { open: opened, node } = fileFor(descriptor, right.write);
      if (opened.flags & append) opened.at = node.size;
      const write = (/** @type {Uint8Array} */ part) => {
        const length = node.write(part, opened.at);
        opened.at += length;
        return length;
      };
      return transfer(write, address, count, countAt);
    },
    fd_pwrite: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ count,
      /** @type {bigint} */ offset,
      /** @type {number} */ countAt,
    ) => {
      const { node } = fileFor(descriptor, right.write);
      let at = lengthOf(offset);
      const write = (/** @type {Uint8Array} */ part) => {
        const length = node.write(part, at);
        at += length;
        return length;
      };
      return transfer(write, address, count, countAt);
    },
    fd_seek: (
      /** @type {number} */ descriptor,
      /** @type {bigint} */ offset,
      /** @type {number} */ from,
      /** @type {number} */ placeAt,
    ) => {
      const { open: opened, node } = open.file(descriptor);
      const base = { [whence.set]: 0, [whence.current]: opened.at, [whence.end]: node.size }[from];
      if (base === undefined) return errno.inval;
      const place = BigInt(base) + offset;
      if (place < 0n || place > BigInt(Number.MAX_SAFE_INTEGER)) return errno.inval;
      opened.at = Number(place);
      memory.setU64(placeAt, place);
      return errno.success;
    },
    fd_tell: (/** @type {number} */ descriptor, /** @type {number} */ placeAt) => {
      memory.setU64(placeAt, BigInt(open.file(descriptor).open.at));
      return errno.success;
    },
  };
}

/**
 * Whether a descriptor is ready, for `poll_oneoff`.
 *
 * @param {OpenFiles} open @param {number}
 * descriptor
 */
export function readiness(open, descriptor) {
  const found = open.find(descriptor);
  if (found === undefined || found.node instanceof FolderNode) return undefined;
  const { stream, node, at, rights } = found;
  const bytes = stream === undefined ? Math.max(0, (node?.size ?? 0) - at) : (stream.left?.() ?? 0);
  return { bytes, canRead: (rights & right.read) !== 0n, canWrite: (rights & right.write) !== 0n };
}

/** @param {(part: Uint8Array) => number} move @param {Uint8Array} part */
function movedOrNone(move, part) {
  try {
    return move(part);
  } catch (error) {
    if (error instanceof WasiError) return 0;
    throw error;
  }
}
