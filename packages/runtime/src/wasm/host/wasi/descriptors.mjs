/** @import { GuestMemory } from './guest-memory.mjs' */
/** @import { Stream } from './streams.mjs' */
import { errno } from './errno.mjs';

const vectorsMax = 1024;
const vectorBytes = 8;

/** Rights of a descriptor, as WASI numbers them. */
const rights = { read: 1n << 1n, write: 1n << 6n, stat: 1n << 21n, poll: 1n << 27n };

/**
 * The functions on file descriptors. There are streams and nothing else: no descriptor of a folder to open anything
 * from, so whatever names a path is answered like a descriptor that is not open, or is no folder.
 *
 * @param {GuestMemory} memory
 * @param {Map<number, Stream>} open the descriptors; closing one takes it out
 */
export function descriptorFunctions(memory, open) {
  /**
   * Answers every use of an open descriptor with one number.
   *
   * @param {number} answer
   */
  const always = (answer) => (/** @type {number} */ descriptor) =>
    open.has(descriptor) ? answer : errno.badf;

  /**
   * The parts of memory that a list of vectors names. @param {number} address @param {number} count
   * @returns {Uint8Array[]}
   */
  const vectors = (address, count) => {
    const list = memory.view(address, count * vectorBytes);
    return Array.from({ length: count }, (_, index) =>
      memory.bytes(list.getUint32(index * vectorBytes, true), list.getUint32(index * vectorBytes + 4, true)),
    );
  };

  /**
   * Moves bytes between a descriptor and vectors, and tells how many at `countAt`.
   *
   * @param {((part: Uint8Array) => number) | undefined} move
   * @param {number} address @param {number} count @param {number} countAt
   */
  const transfer = (move, address, count, countAt) => {
    if (move === undefined) return errno.badf;
    if (count >>> 0 > vectorsMax) return errno.inval;
    let total = 0;
    for (const part of vectors(address, count)) {
      const moved = move(part);
      total += moved;
      if (moved < part.length) break;
    }
    memory.setU32(countAt, total);
    return errno.success;
  };

  return {
    fd_read: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ count,
      /** @type {number} */ countAt,
    ) => transfer(open.get(descriptor)?.read, address, count, countAt),
    fd_write: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ count,
      /** @type {number} */ countAt,
    ) => {
      const write = open.get(descriptor)?.write;
      if (write === undefined) return errno.badf;
      const takeAll = (/** @type {Uint8Array} */ part) => {
        write(part);
        return part.length;
      };
      return transfer(takeAll, address, count, countAt);
    },
    fd_close: (/** @type {number} */ descriptor) => (open.delete(descriptor) ? errno.success : errno.badf),
    fd_renumber: (/** @type {number} */ from, /** @type {number} */ to) => {
      const stream = open.get(from);
      if (stream === undefined || !open.has(to)) return errno.badf;
      open.delete(from);
      open.set(to, stream);
      return errno.success;
    },
    fd_fdstat_get: (/** @type {number} */ descriptor, /** @type {number} */ address) => {
      const stream = open.get(descriptor);
      if (stream === undefined) return errno.badf;
      const status = memory.view(address, 24);
      memory.bytes(address, 24).fill(0);
      // Its type and its flags stay 0: of no known kind, so nobody takes it for a terminal.
      status.setBigUint64(8, rights.stat | rights.poll | (stream.read ? rights.read : rights.write), true);
      return errno.success;
    },
    fd_filestat_get: (/** @type {number} */ descriptor, /** @type {number} */ address) => {
      if (!open.has(descriptor)) return errno.badf;
      memory.bytes(address, 64).fill(0);
      return errno.success;
    },
    fd_fdstat_set_flags: always(errno.success),
    fd_fdstat_set_rights: always(errno.notsup),
    fd_datasync: always(errno.success),
    fd_sync: always(errno.success),
    fd_advise: always(errno.spipe),
    fd_allocate: always(errno.spipe),
    fd_filestat_set_size: always(errno.inval),
    fd_filestat_set_times: always(errno.notsup),
    fd_pread: always(errno.spipe),
    fd_pwrite: always(errno.spipe),
    fd_seek: always(errno.spipe),
    fd_tell: always(errno.spipe),
    fd_readdir: always(errno.notdir),
    // Programs ask from 3 upward until they hear this: that is how they learn that there are no folders.
    fd_prestat_get: () => errno.badf,
    fd_prestat_dir_name: () => errno.badf,
    path_create_directory: always(errno.notdir),
    path_filestat_get: always(errno.notdir),
    path_filestat_set_times: always(errno.notdir),
    path_link: always(errno.notdir),
    path_open: always(errno.notdir),
    path_readlink: always(errno.notdir),
    path_remove_directory: always(errno.notdir),
    path_rename: always(errno.notdir),
    path_symlink: (
      /** @type {number} */ _textAt,
      /** @type {number} */ _textBytes,
      /** @type {number} */ descriptor,
    ) => always(errno.notdir)(descriptor),
    path_unlink_file: always(errno.notdir),
    sock_accept: always(errno.notsock),
    sock_recv: always(errno.notsock),
    sock_send: always(errno.notsock),
    sock_shutdown: always(errno.notsock),
  };
}
