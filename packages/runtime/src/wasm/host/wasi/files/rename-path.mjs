/** @import { Place } from './resolve-path.mjs' */
import { errno, WasiError } from '../errno.mjs';
import { FolderNode } from './nodes.mjs';

/**
 * Moves a node in one step. An existing target is replaced: a file or symlink by either, an empty
 * folder by a folder. Throws `WasiError`.
 *
 * @param {Place} from
 * @param {Place} to
 */
export function renamePath(from, to) {
  const { node } = from;
  if (node === undefined) throw new WasiError(errno.noent);
  if (from.folder === undefined || to.folder === undefined) throw new WasiError(errno.inval);
  if (from.folder.volume.isReadOnly || to.folder.volume.isReadOnly) throw new WasiError(errno.rofs);
  if (from.folder.volume !== to.folder.volume) throw new WasiError(errno.xdev);
  if (to.folder.isRemoved) throw new WasiError(errno.noent);
  if (node instanceof FolderNode) {
    if (isWithin(to.folder, node)) throw new WasiError(errno.inval);
    if (to.node !== undefined && !(to.node instanceof FolderNode)) throw new WasiError(errno.notdir);
  } else {
    if (from.isFolder || (to.isFolder && !(to.node instanceof FolderNode))) throw new WasiError(errno.notdir);
    if (to.node instanceof FolderNode) throw new WasiError(errno.isdir);
  }
  if (to.node === node) return;
  if (to.node instanceof FolderNode) {
    if (to.node.entries.size > 0) throw new WasiError(errno.notempty);
    to.node.isRemoved = true;
  }
  to.folder.remove(to.name);
  from.folder.detach(from.name);
  to.folder.add(to.name, node);
}

/** @param {FolderNode} folder @param {FolderNode} outer */
function isWithin(folder, outer) {
  for (let each = folder; ; each = each.parent) {
    if (each === outer) return true;
    if (each.parent === each) return false;
  }
}
