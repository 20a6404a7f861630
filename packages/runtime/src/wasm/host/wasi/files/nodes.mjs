/** @import { Disk } from './disk.mjs' */
import { errno, WasiError } from '../errno.mjs';
import { newBytes, nodeBytes } from './disk.mjs';

/** File types, as WASI numbers them. */
export const fileType = Object.freeze({ unknown: 0, folder: 3, file: 4, link: 7 });

/**
 * A set of files: hard links and renames stay within it.
 *
 * @typedef {object} Volume
 * @property {Disk} disk
 * @property {bigint} number
 * @property {boolean} isReadOnly
 */

/** @typedef {FileNode | FolderNode | LinkNode} Node */

/**
 * The base of files, folders and symlinks. Its memory is freed when no folder contains it and no
 * descriptor is open on it.
 */
export class AnyNode {
  /** The number of its names. */
  names = 0;
  /** The number of open descriptors on it. */
  opened = 0;

  #isCharged;

  /**
   * Throws `nospc`.
   *
   * @param {Volume} volume
   * @param {number} bytes the size of its content
   * @param {boolean} [isCharged] whether it counts toward the disk's limit
   */
  constructor(volume, bytes, isCharged = !volume.isReadOnly) {
    if (isCharged) volume.disk.take(nodeBytes + bytes);
    this.#isCharged = isCharged;
    this.volume = volume;
    this.number = volume.disk.nextNumber();
    this.accessedAt = this.modifiedAt = this.changedAt = volume.disk.now();
  }

  /** The size of its content. */
  get heldBytes() {
    return 0;
  }

  /** A descriptor was opened on it. */
  open() {
    this.opened += 1;
  }

  /** A descriptor on it was closed. */
  close() {
    this.opened -= 1;
    this.freeIfUnused();
  }

  /** Call after it has lost a name. */
  freeIfUnused() {
    if (this.names > 0 || this.opened > 0 || !this.#isCharged) return;
    this.volume.disk.give(nodeBytes + this.heldBytes);
  }

  /** Records that its content changed. */
  touch() {
    this.modifiedAt = this.changedAt = this.volume.disk.now();
  }
}

/** A file: bytes in memory. */
export class FileNode extends AnyNode {
  type = fileType.file;
  #bytes;
  #length;
  /** Whether its bytes still belong to the caller; they are copied before the first write. */
  #isBorrowed;

  /**
   * Throws `nospc`.
   *
   * @param {Volume} volume
   * @param {Uint8Array} [borrowed] initial content; its owner keeps it unchanged during the call
   */
  constructor(volume, borrowed) {
    super(volume, borrowed?.length ?? 0);
    this.#bytes = borrowed ?? new Uint8Array();
    this.#length = this.#bytes.length;
    this.#isBorrowed = borrowed !== undefined;
  }

  get size() {
    return this.#length;
  }

  /** Its current content, not copied. */
  get content() {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @override */
  get heldBytes() {
    return this.#isBorrowed ? 0 : this.#bytes.length;
  }

  /**
   * Copies content from `at` on into the target, and returns the number of bytes.
   *
   * @param {Uint8Array} target
   * @param {number} at
   */
  read(target, at) {
    const part = this.content.subarray(at, at + target.length);
    target.set(part);
    return part.length;
  }

  /** Throws `nospc` and `fbig`. @param {Uint8Array} bytes @param {number} at */
  write(bytes, at) {
    if (bytes.length > 0) {
      const end = at + bytes.length;
      this.#reserve(end);
      this.#bytes.set(bytes, at);
      this.#length = Math.max(this.#length, end);
    }
    this.touch();
    return bytes.length;
  }

  /** Throws `nospc` and `fbig`. @param {number} size */
  resize(size) {
    if (size === 0) this.#free();
    this.#reserve(size);
    // Bytes beyond the end are always zero, in case the file grows again.
    if (size < this.#length) this.#bytes.fill(0, size, this.#length);
    this.#length = size;
    this.touch();
  }

  /**
   * Makes its bytes its own and long enough, with twice the size if possible.
   *
   * @param {number} size
   */
  #reserve(size) {
    if (size > Math.max(this.#length, this.volume.disk.fileBytesMax)) throw new WasiError(errno.fbig);
    if (!this.#isBorrowed && size <= this.#bytes.length) return;
    const { disk } = this.volume;
    const least = Math.max(size, this.#length);
    const held = this.heldBytes;
    const room = Math.max(least, Math.min(2 * this.#length, disk.bytesLeft + held));
    disk.take(room - held);
    const larger = newBytes(room);
    larger.set(this.content);
    this.#bytes = larger;
    this.#isBorrowed = false;
  }

  /** Frees its bytes, or drops borrowed ones. */
  #free() {
    this.volume.disk.give(this.heldBytes);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    this.#isBorrowed = false;
  }
}

/** A folder: names in order of creation, each with a number by which a reader continues. */
export class FolderNode extends AnyNode {
  type = fileType.folder;
  /** @type {Map<string, { node: Node, place: bigint }>} */
  #entries = new Map();
  #places = 2n;
  /** Fills it at its first use. @type {((folder: FolderNode) => void) | undefined} */
  #fill;
  /** Whether it was removed while a descriptor was open on it. */
  isRemoved = false;

  /**
   * Throws `nospc`.
   *
   * @param {Volume} volume
   * @param {FolderNode} [parent] absent for the root
   * @param {(folder: FolderNode) => void} [fill]
   */
  constructor(volume, parent, fill) {
    super(volume, 0, parent !== undefined && !volume.isReadOnly);
    this.parent = parent ?? this;
    this.#fill = fill;
  }

  get size() {
    return 0;
  }

  get entries() {
    const fill = this.#fill;
    this.#fill = undefined;
    fill?.(this);
    return this.#entries;
  }

  /** @param {string} name @returns {Node | undefined} */
  find(name) {
    return this.entries.get(name)?.node;
  }

  /** Gives a free name to a node. Throws `nospc`. @param {string} name @param {Node} node */
  add(name, node) {
    // The first name is charged with the node.
    if (node.names > 0) this.volume.disk.take(nodeBytes);
    this.entries.set(name, { node, place: this.#places++ });
    node.names += 1;
    if (node.type === fileType.folder) /** @type {FolderNode} */ (node).parent = this;
    this.touch();
  }

  /** Removes a name, and frees the node if it has no other. @param {string} name */
  remove(name) {
    this.detach(name)?.freeIfUnused();
  }

  /** Removes a name of a node that is about to get another. @param {string} name */
  detach(name) {
    const node = this.find(name);
    if (node === undefined) return undefined;
    this.entries.delete(name);
    node.names -= 1;
    if (node.names > 0) this.volume.disk.give(nodeBytes);
    node.changedAt = this.volume.disk.now();
    this.touch();
    return node;
  }
}

/** A symbolic link. It only leads to paths within the folder where the lookup starts. */
export class LinkNode extends AnyNode {
  type = fileType.link;

  /** Throws `nospc`. @param {Volume} volume @param {string} target */
  constructor(volume, target) {
    super(volume, target.length);
    this.target = target;
  }

  get size() {
    return Buffer.byteLength(this.target);
  }

  /** @override */
  get heldBytes() {
    return this.target.length;
  }
}
