/** @import { GuestMemory } from './guest-memory.mjs' */
/** @import { OpenFiles } from './open-files.mjs' */
import { errno, WasiError } from './errno.mjs';
import { readFolder } from './read-folder.mjs';
import { right } from './rights.mjs';
import { setTimes, writeDescriptorStatus, writeFileStatus } from './status.mjs';

/** The descriptor flags that can be set: append, dsync, nonblock, rsync, sync. */
const flagsMask = 31;

/**
 * The file descriptor functions that move no bytes. They throw `WasiError`.
 *
 * @param {GuestMemory} memory
 * @param {OpenFiles} open
 */
export function descriptorFunctions(memory, open) {
  /** Returns the same number for any open descriptor. @param {number} answer */
  const always = (answer) => (/** @type {number} */ descriptor) => {
    open.get(descriptor);
    return answer;
  };
  /** The name of a preopened folder. @param {number} descriptor */
  const preopenedName = (descriptor) => {
    const { name } = open.get(descriptor);
    // Programs try descriptors from 3 upward until they get this error.
    if (name === undefined) throw new WasiError(errno.badf);
    return new TextEncoder().encode(name);
  };

  return {
    fd_close: (/** @type {number} */ descriptor) => {
      open.close(descriptor);
      return errno.success;
    },
    fd_renumber: (/** @type {number} */ from, /** @type {number} */ to) => {
      open.renumber(from, to);
      return errno.success;
    },
    fd_fdstat_get: (/** @type {number} */ descriptor, /** @type {number} */ address) => {
      writeDescriptorStatus(memory, address, open.get(descriptor));
      return errno.success;
    },
    fd_fdstat_set_flags: (/** @type {number} */ descriptor, /** @type {number} */ flags) => {
      const opened = open.get(descriptor);
      if (opened.node !== undefined) opened.flags = flags & flagsMask;
      return errno.success;
    },
    fd_fdstat_set_rights: (
      /** @type {number} */ descriptor,
      /** @type {bigint} */ rights,
      /** @type {bigint} */ inheriting,
    ) => {
      const opened = open.get(descriptor);
      const [own, passedOn] = [BigInt.asUintN(64, rights), BigInt.asUintN(64, inheriting)];
      // Rights can only be given up.
      if ((own & ~opened.rights) !== 0n || (passedOn & ~opened.inheriting) !== 0n) return errno.notcapable;
      opened.rights = own;
      opened.inheriting = passedOn;
      return errno.success;
    },
    fd_filestat_get: (/** @type {number} */ descriptor, /** @type {number} */ address) => {
      writeFileStatus(memory, address, open.get(descriptor).node);
      return errno.success;
    },
    fd_filestat_set_size: (/** @type {number} */ descriptor, /** @type {bigint} */ size) => {
      const { open: opened, node } = fileToChange(open, descriptor);
      if ((opened.rights & (right.write | right.setSize)) === 0n) return errno.badf;
      node.resize(lengthOf(size));
      return errno.success;
    },
    fd_filestat_set_times: (
      /** @type {number} */ descriptor,
      /** @type {bigint} */ accessedAt,
      /** @type {bigint} */ modifiedAt,
      /** @type {number} */ flags,
    ) => {
      setTimes(open.get(descriptor).node, accessedAt, modifiedAt, flags);
      return errno.success;
    },
    fd_allocate: (
      /** @type {number} */ descriptor,
      /** @type {bigint} */ offset,
      /** @type {bigint} */ length,
    ) => {
      const { open: opened, node } = fileToChange(open, descriptor);
      if ((opened.rights & (right.write | right.allocate)) === 0n) return errno.badf;
      if (length <= 0n) return errno.inval;
      const end = lengthOf(offset) + lengthOf(length);
      if (end > node.size) node.resize(end);
      return errno.success;
    },
    fd_advise: (
      /** @type {number} */ descriptor,
      /** @type {bigint} */ _offset,
      /** @type {bigint} */ _length,
      /** @type {number} */ advice,
    ) => {
      open.file(descriptor);
      return advice >>> 0 > 5 ? errno.inval : errno.success;
    },
    fd_datasync: always(errno.success),
    fd_sync: always(errno.success),
    fd_readdir: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
      /** @type {bigint} */ cookie,
      /** @type {number} */ countAt,
    ) => {
      const written = readFolder(
        open.folder(descriptor),
        BigInt.asUintN(64, cookie),
        memory.bytes(address, length),
      );
      memory.setU32(countAt, written);
      return errno.success;
    },
    fd_prestat_get: (/** @type {number} */ descriptor, /** @type {number} */ address) => {
      const { length } = preopenedName(descriptor);
      memory.bytes(address, 8).fill(0);
      memory.setU32((address >>> 0) + 4, length);
      return errno.success;
    },
    fd_prestat_dir_name: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
    ) => {
      const name = preopenedName(descriptor);
      if (length >>> 0 < name.length) return errno.nametoolong;
      memory.bytes(address, name.length).set(name);
      return errno.success;
    },
    sock_accept: always(errno.notsock),
    sock_recv: always(errno.notsock),
    sock_send: always(errno.notsock),
    sock_shutdown: always(errno.notsock),
  };
}

/** @param {OpenFiles} open @param {number} descriptor */
function fileToChange(open, descriptor) {
  const file = open.file(descriptor);
  if (file.node.volume.isReadOnly) throw new WasiError(errno.rofs);
  return file;
}

/** A length as a JavaScript number. Throws `fbig`. @param {bigint} length */
export function lengthOf(length) {
  const unsigned = BigInt.asUintN(64, length);
  if (unsigned > BigInt(Number.MAX_SAFE_INTEGER)) throw new WasiError(errno.fbig);
  return Number(unsigned);
}
