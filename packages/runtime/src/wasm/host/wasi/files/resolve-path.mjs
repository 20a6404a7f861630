/** @import { Node } from './nodes.mjs' */
import { errno, WasiError } from '../errno.mjs';
import { FolderNode, LinkNode } from './nodes.mjs';

const pathBytesMax = 4096;
const nameBytesMax = 255;
const linksMax = 40;

/**
 * The result of resolving a path.
 *
 * @typedef {object} Place
 * @property {FolderNode | undefined} folder the folder of the last name; `undefined` for a path
 * that ends in `.` or `..`
 * @property {string} name its last name
 * @property {Node | undefined} node the node with that name
 * @property {boolean} isFolder whether the path ends with a slash
 */

/**
 * Resolves a path from an open folder, which it cannot leave, even through symlinks: only from a
 * folder that is mounted in another one, `..` leads there. Throws `perm` for an absolute path or a path
 * out of the folder, and `WasiError` for a missing component.
 *
 * @param {FolderNode} start
 * @param {string} path
 * @param {boolean} followsLast whether a symlink as the last component is followed
 * @returns {Place}
 */
export function resolvePath(start, path, followsLast) {
  const stack = [...foldersAbove(start), start];
  const names = namesOf(path).reverse();
  let isFolder = path.endsWith('/');
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const folder = /** @type {FolderNode} */ (stack.at(-1));
    if (name === '.') continue;
    if (name === '..') {
      if (stack.length === 1) throw new WasiError(errno.perm);
      stack.pop();
      continue;
    }
    const isLast = names.length === 0;
    const node = folder.find(name);
    if (node instanceof LinkNode && (!isLast || followsLast || isFolder)) {
      if (++links > linksMax) throw new WasiError(errno.loop);
      isFolder ||= isLast && node.target.endsWith('/');
      names.push(...namesOf(node.target).reverse());
    } else if (isLast) {
      return { folder, name, node, isFolder };
    } else if (node === undefined) {
      throw new WasiError(errno.noent);
    } else if (!(node instanceof FolderNode)) {
      throw new WasiError(errno.notdir);
    } else {
      stack.push(node);
    }
  }
  return { folder: undefined, name: '.', node: stack.at(-1), isFolder: true };
}

/**
 * The folders that a mounted folder is in, from the root on. Another folder's parent has the same volume.
 *
 * @param {FolderNode} folder
 * @returns {FolderNode[]}
 */
function foldersAbove({ parent, volume }) {
  return parent.volume === volume ? [] : [...foldersAbove(parent), parent];
}

/**
 * A place where a new node can be created. Throws `exist`, `rofs` and `noent`.
 *
 * @param {Place} place
 */
export function freePlace({ folder, name, node }) {
  if (folder === undefined || node !== undefined) throw new WasiError(errno.exist);
  if (folder.volume.isReadOnly) throw new WasiError(errno.rofs);
  // Nothing is created in a removed folder, even if a descriptor is open on it.
  if (folder.isRemoved) throw new WasiError(errno.noent);
  return { folder, name };
}

/** @param {string} path */
function namesOf(path) {
  if (path === '') throw new WasiError(errno.noent);
  if (path.includes('\0')) throw new WasiError(errno.inval);
  if (Buffer.byteLength(path) > pathBytesMax) throw new WasiError(errno.nametoolong);
  if (path.startsWith('/')) throw new WasiError(errno.perm);
  const names = path.split('/').filter((name) => name !== '');
  if (names.some((name) => Buffer.byteLength(name) > nameBytesMax)) throw new WasiError(errno.nametoolong);
  return names;
}
