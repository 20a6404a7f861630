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
  folder.add(last, node);
}
