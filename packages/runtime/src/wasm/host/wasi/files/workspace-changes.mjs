/** @import { GivenFile } from './call-folders.mjs' */
import { FileNode, FolderNode } from './nodes.mjs';

/**
 * Limits for the returned changes, set by the daemon for each call.
 *
 * @typedef {{ bytes: number, entries: number, pathBytes: number, depth: number }} TakeBounds
 *
 * A change in a workspace. `content` is `null` for a deleted file, and if `omitted` gives the
 * reason.
 *
 * @typedef {object} Change
 * @property {string} path
 * @property {'created' | 'changed' | 'deleted'} change
 * @property {number} size
 * @property {Uint8Array | null} content
 * @property {string} [omitted]
 */

/**
 * Compares a call's workspace with the caller's files. Symlinks are reported and never followed.
 *
 * @param {FolderNode} workspace
 * @param {readonly GivenFile[]} given
 * @param {TakeBounds} bounds
 * @returns {Change[]}
 */
export function workspaceChanges(workspace, given, bounds) {
  const before = new Map(given.map(({ path, content }) => [path, content]));
  /** @type {Change[]} */
  const changes = [];
  const left = { ...bounds };
  let isWhole = true;

  /** @param {string} path @param {number} size @param {Uint8Array | null} content @param {string} [omitted] */
  const found = (path, size, content, omitted) => {
    const was = before.get(path);
    before.delete(path);
    if (was !== undefined && content !== null && isSame(was, content)) return;
    const change = was === undefined ? 'created' : 'changed';
    changes.push({ path, change, size, content, ...(omitted === undefined ? {} : { omitted }) });
  };
  /** @param {string} path @param {import('./nodes.mjs').Node} node @param {number} depth */
  const visit = (path, node, depth) => {
    if (!isWhole) return;
    left.entries -= 1;
    left.pathBytes -= Buffer.byteLength(path);
    if (left.entries < 0 || left.pathBytes < 0) {
      isWhole = false;
      const bound =
        left.entries < 0
          ? `more than ${bounds.entries} entries; this one`
          : `more than ${bounds.pathBytes} bytes of paths; this entry`;
      found(path, 0, null, `${bound} and the following are left out`);
    } else if (node instanceof FolderNode) {
      if (depth > bounds.depth) found(path, 0, null, `nested more than ${bounds.depth} deep`);
      else for (const [name, { node: inner }] of node.entries) visit(`${path}/${name}`, inner, depth + 1);
    } else if (!(node instanceof FileNode)) {
      found(path, 0, null, 'not a regular file but a symbolic link');
    } else if (node.size > left.bytes) {
      found(path, node.size, null, `over the limit of ${bounds.bytes} bytes for all files`);
    } else {
      left.bytes -= node.size;
      found(path, node.size, node.content);
    }
  };
  for (const [name, { node }] of workspace.entries) visit(name, node, 2);
  // A file that was not visited may still exist.
  if (isWhole)
    for (const path of before.keys()) changes.push({ path, change: 'deleted', size: 0, content: null });
  return changes;
}

/** @param {Uint8Array} one @param {Uint8Array} other */
function isSame(one, other) {
  return one === other || Buffer.compare(one, other) === 0;
}
