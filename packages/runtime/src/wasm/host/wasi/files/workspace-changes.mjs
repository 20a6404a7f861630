/** @import { GivenEntry } from './call-folders.mjs' */
import { FolderNode, LinkNode } from './nodes.mjs';

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
 * @property {string} [link] the target of a link
 * @property {true} [folder] present for a folder that is empty, or was
 * @property {string} [omitted]
 */

/**
 * Compares a call's workspace with the caller's files. Symlinks are never followed.
 *
 * @param {FolderNode} workspace
 * @param {readonly GivenEntry[]} given
 * @param {TakeBounds} bounds
 * @returns {Change[]}
 */
export function workspaceChanges(workspace, given, bounds) {
  const before = new Map(given.map((entry) => [entry.path, entry]));
  /** Folders that are not empty. @type {Set<string>} */
  const filled = new Set();
  /** @type {Change[]} */
  const changes = [];
  const left = { ...bounds };
  let isWhole = true;

  /** @param {string} path @param {Omit<Change, 'path' | 'change'>} what */
  const found = (path, what) => {
    const was = before.get(path);
    before.delete(path);
    if (was !== undefined && isSame(was, what)) return;
    changes.push({ path, change: was === undefined ? 'created' : 'changed', ...what });
  };
  const nothing = { size: 0, content: null };
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
      found(path, { ...nothing, omitted: `${bound} and the following are left out` });
    } else if (node instanceof FolderNode) {
      if (depth > bounds.depth) found(path, { ...nothing, omitted: `nested more than ${bounds.depth} deep` });
      else if (node.entries.size === 0) found(path, { ...nothing, folder: true });
      else filled.add(path);
      if (depth <= bounds.depth)
        for (const [name, { node: inner }] of node.entries) visit(`${path}/${name}`, inner, depth + 1);
    } else if (node instanceof LinkNode) {
      found(path, { ...nothing, link: node.target });
    } else if (node.size > left.bytes) {
      const omitted = `over the limit of ${bounds.bytes} bytes for all files`;
      found(path, { size: node.size, content: null, omitted });
    } else {
      left.bytes -= node.size;
      found(path, { size: node.size, content: node.content });
    }
  };
  for (const [name, { node }] of workspace.entries) visit(name, node, 2);
  // A file that was not visited may still exist.
  if (isWhole)
    for (const [path, was] of before) {
      if ('folder' in was && filled.has(path)) continue;
      /** @type {Change} */
      const deleted = { path, change: 'deleted', ...nothing };
      changes.push('folder' in was ? { ...deleted, folder: true } : deleted);
    }
  return changes;
}

/** @param {GivenEntry} was @param {Omit<Change, 'path' | 'change'>} is */
function isSame(was, { content, link, folder }) {
  if ('link' in was) return was.link === link;
  if ('folder' in was) return folder === true;
  return content !== null && (was.content === content || Buffer.compare(was.content, content) === 0);
}
