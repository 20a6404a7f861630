/** @import { GuestMemory } from './guest-memory.mjs' */
/** @import { OpenFiles } from './open-files.mjs' */
import { errno, WasiError } from './errno.mjs';
import { FolderNode, LinkNode } from './files/nodes.mjs';
import { renamePath } from './files/rename-path.mjs';
import { freePlace, resolvePath } from './files/resolve-path.mjs';
import { openPath } from './open-path.mjs';
import { setTimes, writeFileStatus } from './status.mjs';

const followLinks = 1;

/**
 * The path functions, each of which starts at an open folder and cannot leave it. They throw
 * `WasiError`.
 *
 * @param {GuestMemory} memory
 * @param {OpenFiles} open
 */
export function pathFunctions(memory, open) {
  /** @param {number} address @param {number} length */
  const text = (address, length) => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(memory.bytes(address, length));
    } catch (error) {
      if (error instanceof TypeError) throw new WasiError(errno.ilseq);
      throw error;
    }
  };
  /** @param {number} descriptor @param {number} address @param {number} length @param {number} [flags] */
  const placeAt = (descriptor, address, length, flags = 0) =>
    resolvePath(open.folder(descriptor), text(address, length), (flags & followLinks) !== 0);
  /** The node at a path. @param {Parameters<typeof placeAt>} path */
  const nodeAt = (...path) => {
    const { node, isFolder } = placeAt(...path);
    if (node === undefined) throw new WasiError(errno.noent);
    if (isFolder && !(node instanceof FolderNode)) throw new WasiError(errno.notdir);
    return node;
  };

  return {
    path_open: (
      /** @type {number} */ descriptor,
      /** @type {number} */ flags,
      /** @type {number} */ address,
      /** @type {number} */ length,
      /** @type {number} */ how,
      /** @type {bigint} */ rights,
      /** @type {bigint} */ inheriting,
      /** @type {number} */ descriptorFlags,
      /** @type {number} */ openedAt,
    ) => {
      const wanted = { how, rights, inheriting, flags: descriptorFlags };
      // Checked before anything is created: the result's address may be invalid.
      memory.setU32(openedAt, 0);
      const place = () => placeAt(descriptor, address, length, flags);
      memory.setU32(openedAt, openPath(open, descriptor, place, wanted));
      return errno.success;
    },
    path_create_directory: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
    ) => {
      const { folder, name } = freePlace(placeAt(descriptor, address, length));
      folder.add(name, new FolderNode(folder.volume, folder));
      return errno.success;
    },
    path_remove_directory: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
    ) => {
      const { folder, name, node } = placeAt(descriptor, address, length);
      if (node === undefined) return errno.noent;
      if (!(node instanceof FolderNode)) return errno.notdir;
      if (folder === undefined) return errno.inval;
      if (folder.volume.isReadOnly) return errno.rofs;
      if (node.entries.size > 0) return errno.notempty;
      node.isRemoved = true;
      folder.remove(name);
      return errno.success;
    },
    path_unlink_file: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
    ) => {
      const { folder, name, node, isFolder } = placeAt(descriptor, address, length);
      if (node === undefined) return errno.noent;
      if (folder === undefined || node instanceof FolderNode) return errno.isdir;
      if (isFolder) return errno.notdir;
      if (folder.volume.isReadOnly) return errno.rofs;
      folder.remove(name);
      return errno.success;
    },
    path_link: (
      /** @type {number} */ descriptor,
      /** @type {number} */ flags,
      /** @type {number} */ address,
      /** @type {number} */ length,
      /** @type {number} */ toDescriptor,
      /** @type {number} */ toAddress,
      /** @type {number} */ toLength,
    ) => {
      const node = nodeAt(descriptor, address, length, flags);
      const to = placeAt(toDescriptor, toAddress, toLength);
      if (node instanceof FolderNode) return errno.perm;
      if (to.node === undefined && to.isFolder) return errno.noent;
      const { folder, name } = freePlace(to);
      if (folder.volume !== node.volume) return errno.xdev;
      folder.add(name, node);
      return errno.success;
    },
    path_symlink: (
      /** @type {number} */ targetAddress,
      /** @type {number} */ targetLength,
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
    ) => {
      const target = text(targetAddress, targetLength);
      const to = placeAt(descriptor, address, length);
      if (target === '' || (to.node === undefined && to.isFolder)) return errno.noent;
      if (target.startsWith('/')) return errno.perm;
      if (target.includes('\0')) return errno.inval;
      if (targetLength > 4096) return errno.nametoolong;
      const { folder, name } = freePlace(to);
      folder.add(name, new LinkNode(folder.volume, target));
      return errno.success;
    },
    path_readlink: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
      /** @type {number} */ targetAt,
      /** @type {number} */ targetLength,
      /** @type {number} */ countAt,
    ) => {
      const node = nodeAt(descriptor, address, length);
      if (!(node instanceof LinkNode)) return errno.inval;
      const bytes = new TextEncoder().encode(node.target).subarray(0, targetLength >>> 0);
      memory.bytes(targetAt, bytes.length).set(bytes);
      memory.setU32(countAt, bytes.length);
      return errno.success;
    },
    path_rename: (
      /** @type {number} */ descriptor,
      /** @type {number} */ address,
      /** @type {number} */ length,
      /** @type {number} */ toDescriptor,
      /** @type {number} */ toAddress,
      /** @type {number} */ toLength,
    ) => {
      renamePath(placeAt(descriptor, address, length), placeAt(toDescriptor, toAddress, toLength));
      return errno.success;
    },
    path_filestat_get: (
      /** @type {number} */ descriptor,
      /** @type {number} */ flags,
      /** @type {number} */ address,
      /** @type {number} */ length,
      /** @type {number} */ statusAt,
    ) => {
      writeFileStatus(memory, statusAt, nodeAt(descriptor, address, length, flags));
      return errno.success;
    },
    path_filestat_set_times: (
      /** @type {number} */ descriptor,
      /** @type {number} */ flags,
      /** @type {number} */ address,
      /** @type {number} */ length,
      /** @type {bigint} */ accessedAt,
      /** @type {bigint} */ modifiedAt,
      /** @type {number} */ timeFlags,
    ) => {
      setTimes(nodeAt(descriptor, address, length, flags), accessedAt, modifiedAt, timeFlags);
      return errno.success;
    },
  };
}
