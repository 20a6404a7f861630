/** @import { FolderNode, FileNode, Node } from './files/nodes.mjs' */
/** @import { Preopened } from './files/call-folders.mjs' */
/** @import { Stream } from './streams.mjs' */
import { errno, WasiError } from './errno.mjs';
import { FolderNode as Folder } from './files/nodes.mjs';
import { fileRights, folderRights, streamRights } from './rights.mjs';

const openMax = 1024;
/** The three streams have fixed numbers, even if one is closed. */
const firstFile = 3;

/**
 * An open descriptor: a stream, or a file or folder of the call. `at` is a file's position, `name`
 * the name of a preopened folder.
 *
 * @typedef {object} OpenFile
 * @property {Stream} [stream]
 * @property {Node} [node]
 * @property {string} [name]
 * @property {number} at
 * @property {number} flags
 * @property {bigint} rights
 * @property {bigint} inheriting the rights of files opened from it
 */

/** The descriptors of one call. */
export class OpenFiles {
  /** @type {Map<number, OpenFile>} */
  #open = new Map();

  /**
   * @param {readonly Stream[]} streams
   * @param {readonly Preopened[]} preopened
   */
  constructor(streams, preopened) {
    for (const [descriptor, stream] of streams.entries()) {
      this.#open.set(descriptor, { stream, at: 0, flags: 0, rights: streamRights(stream), inheriting: 0n });
    }
    for (const { name, folder } of preopened) {
      this.add({
        node: folder,
        name,
        at: 0,
        flags: 0,
        rights: folderRights,
        inheriting: folderRights | fileRights,
      });
    }
  }

  /** Throws `badf`. @param {number} descriptor */
  get(descriptor) {
    const open = this.#open.get(descriptor);
    if (open === undefined) throw new WasiError(errno.badf);
    return open;
  }

  /** @param {number} descriptor */
  find(descriptor) {
    return this.#open.get(descriptor);
  }

  /**
   * The folder of a descriptor. Throws `badf` and `notdir`.
   *
   * @param {number} descriptor @returns {FolderNode}
   */
  folder(descriptor) {
    const { node } = this.get(descriptor);
    if (!(node instanceof Folder)) throw new WasiError(errno.notdir);
    return node;
  }

  /**
   * The file of a descriptor. Throws `badf`, `spipe` for a stream and `isdir`.
   *
   * @param {number}
   * descriptor
   */
  file(descriptor) {
    const open = this.get(descriptor);
    if (open.node === undefined) throw new WasiError(errno.spipe);
    if (open.node instanceof Folder) throw new WasiError(errno.isdir);
    return { open, node: /** @type {FileNode} */ (open.node) };
  }

  /** Assigns the lowest free number. Throws `mfile`. @param {OpenFile} opened */
  add(opened) {
    if (this.#open.size >= openMax) throw new WasiError(errno.mfile);
    let descriptor = firstFile;
    while (this.#open.has(descriptor)) descriptor++;
    opened.node?.open();
    this.#open.set(descriptor, opened);
    return descriptor;
  }

  /** Throws `badf`. @param {number} descriptor */
  close(descriptor) {
    const { node } = this.get(descriptor);
    this.#open.delete(descriptor);
    node?.close();
  }

  /**
   * Gives a descriptor the number of another one, which is closed. Throws `badf`.
   *
   * @param {number}
   * from
   *
   * @param {number} to
   */
  renumber(from, to) {
    const moved = this.get(from);
    this.get(to);
    if (from === to) return;
    this.close(to);
    this.#open.delete(from);
    this.#open.set(to, moved);
  }
}
