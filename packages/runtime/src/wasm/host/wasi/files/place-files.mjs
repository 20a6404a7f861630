/** @import { Node } from './nodes.mjs' */
import { FolderNode } from './nodes.mjs';

/**
 * Puts a node at a path in a folder, and creates the folders between.
 *
 * @param {FolderNode} root
 * @param {string} path relative and normalized
 * @param {Node} node
 */
export function placeFile(root, path, node) {
  const names = path.split('/');
  const last = /** @type {string} */ (names.pop());
  placeFolder(root, names).add(last, node);
}

/**
 * Returns the folder at a path, which it creates with those between.
 *
 * @param {FolderNode} root
 * @param {readonly string[]} names
 */
export function placeFolder(root, names) {
  let folder = root;
  for (const name of names) {
    const found = folder.find(name);
    if (found instanceof FolderNode) {
      folder = found;
    } else {
      const made = new FolderNode(folder.volume, folder);
      folder.add(name, made);
      folder = made;
    }
  }
  return folder;
}
