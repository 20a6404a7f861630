/** @import { OpenFiles } from './open-files.mjs' */
/** @import { Place } from './files/resolve-path.mjs' */
import { errno, WasiError } from './errno.mjs';
import { FileNode, FolderNode, LinkNode } from './files/nodes.mjs';
import { freePlace } from './files/resolve-path.mjs';
import { fileRights, folderRights, right } from './rights.mjs';

/** The flags for opening a path (WASI's `oflags`). */
const create = 1;
const asFolder = 2;
const onlyNew = 4;
const truncate = 8;

/**
 * Opens a path and returns its descriptor, with those requested rights that its file type can have
 * and its folder passes on. Throws `WasiError`.
 *
 * @param {OpenFiles} open
 * @param {number} descriptor of the folder that the path begins at
 * @param {() => Place} placeOf
 * @param {{ how: number, rights: bigint, inheriting: bigint, flags: number }} wanted
 * @returns {number}
 */
export function openPath(open, descriptor, placeOf, { how, rights: wantedRights, inheriting, flags }) {
  const has = (/** @type {number} */ flag) => (how & flag) !== 0;
  if (has(create) && has(asFolder)) throw new WasiError(errno.inval);
  const from = open.get(descriptor);
  const place = placeOf();
  if (has(truncate) && (from.rights & right.setPathSize) === 0n) throw new WasiError(errno.notcapable);
  const base = BigInt.asUintN(64, wantedRights);
  const passedOn = BigInt.asUintN(64, inheriting) & from.inheriting;
  const node = place.node ?? created(place, has(create));
  if (place.node !== undefined && has(create) && has(onlyNew)) throw new WasiError(errno.exist);
  // The last symlink was not to be followed.
  if (node instanceof LinkNode) throw new WasiError(errno.loop);
  if (node instanceof FolderNode) {
    if (has(create) || has(truncate) || (base & right.write) !== 0n) throw new WasiError(errno.isdir);
    return open.add({
      node,
      at: 0,
      flags,
      rights: base & folderRights & from.inheriting,
      inheriting: passedOn,
    });
  }
  if (has(asFolder) || place.isFolder) throw new WasiError(errno.notdir);
  if (node.volume.isReadOnly && (has(truncate) || (base & right.write) !== 0n))
    throw new WasiError(errno.rofs);
  const rights = base & fileRights & from.inheriting;
  const opened = open.add({ node, at: 0, flags, rights, inheriting: passedOn });
  if (has(truncate)) node.resize(0);
  return opened;
}

/** @param {Place} place @param {boolean} isWanted */
function created(place, isWanted) {
  if (!isWanted) throw new WasiError(errno.noent);
  if (place.isFolder) throw new WasiError(errno.isdir);
  const { folder, name } = freePlace(place);
  const node = new FileNode(folder.volume);
  folder.add(name, node);
  return node;
}
