/** @import { CallFolders, FolderOptions } from '../wasi/files/call-folders.mjs' */
/** @import { Volume } from '../wasi/files/nodes.mjs' */
import { callFolders } from '../wasi/files/call-folders.mjs';
import { FileNode, FolderNode } from '../wasi/files/nodes.mjs';
import { placeFile } from '../wasi/files/place-files.mjs';

/**
 * The path of the standard library, a zip file where other systems have a folder. The snapshot contains
 * it.
 */
const standardLibrary = 'usr/lib/python3.11';

/** Discards what is written to it. */
class NullFile extends FileNode {
  /** @override @param {Uint8Array} bytes */
  write(bytes) {
    return bytes.length;
  }

  /** @override */
  resize() {
    // It is always empty.
  }
}

/**
 * The folders of one call of Python: the folders of a WASI command, the standard library and `/dev/null`.
 * The snapshot contains the names and numbers of the open folders, so there are always the same ones.
 * Without a workspace, `/workspace` is an empty folder that cannot be written.
 *
 * @param {Uint8Array} library the standard library
 * @param {FolderOptions} options
 * @returns {CallFolders}
 */
export function pythonFolders(library, options) {
  const { disk, preopened, workspace } = callFolders(options);
  const folderNamed = (/** @type {string} */ name) =>
    preopened.find((each) => each.name === name)?.folder ?? new FolderNode(system);
  // Workspace, temporary folder and skill are 1 to 3.
  /** @type {Volume} */
  const system = { disk, number: 4n, isReadOnly: true };
  const root = new FolderNode(system);
  placeFile(root, standardLibrary, new FileNode(system, library));
  placeFile(root, 'dev/null', new NullFile({ ...system, isReadOnly: false }));
  const folders = ['/workspace', '/tmp', '/skill'].map((name) => ({ name, folder: folderNamed(name) }));
  for (const { name, folder } of folders) {
    if (name !== '/workspace' || workspace !== undefined) root.add(name.slice(1), folder);
  }
  return { disk, preopened: [...folders, { name: '/', folder: root }], workspace };
}
