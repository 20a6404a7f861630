/** @import { GivenFile } from './call-folders.mjs' */
import { FileNode, FolderNode } from './nodes.mjs';

/**
 * How much of a workspace is handed back; the daemon says it for each call.
 *
 * @typedef {{ bytes: number, entries: number, pathBytes: number, depth: number }} TakeBounds
 *
 * What is different in a workspace. `content` is `null` for what was deleted, and where `omitted` says why.
 *
 * @typedef {object} Change
 * @property {string} path
 * @property {'created' | 'changed' | 'deleted'} change
 * @property {number} size
 * @property {Uint8Array | null} content
 * @property {string} [omitted]
 */

/**
 * Compares what a call has left in its workspace with what the caller had put there. Links are reported, and never followed.
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
        left.entries < 0 ? `the ${bounds.entries + 1}th entry` : `beyond ${bounds.pathBytes} bytes of paths`;
      found(path, 0, null, `${bound}; it and those after it are not looked at`);
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
  // Nobody knows what became of files that were not looked at.
  if (isWhole)
    for (const path of before.keys()) changes.push({ path, change: 'deleted', size: 0, content: null });
  return changes;
}

/** @param {Uint8Array} one @param {Uint8Array} other */
function isSame(one, other) {
  return one === other || Buffer.compare(one, other) === 0;
}
