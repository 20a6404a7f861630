/** @import { Disk } from './disk.mjs' */
import { errno, WasiError } from '../errno.mjs';
import { newBytes, nodeBytes } from './disk.mjs';

/** The kinds of file, as WASI numbers them. */
export const fileType = Object.freeze({ unknown: 0, folder: 3, file: 4, link: 7 });

/**
 * Files that belong together: links and renames stay within one.
 *
 * @typedef {object} Volume
 * @property {Disk} disk
 * @property {bigint} number
 * @property {boolean} isReadOnly
 */

/** @typedef {FileNode | FolderNode | LinkNode} Node */

/** What files, folders and links have in common. Its memory is freed when no folder has it and no descriptor is open on it. */
export class AnyNode {
  /** How many names it has. */
  names = 0;
  /** How many descriptors are open on it. */
  opened = 0;

  #isPaidFor;

  /**
   * Throws `nospc`.
   *
   * @param {Volume} volume
   * @param {number} bytes what it holds beside itself
   * @param {boolean} [isPaidFor] whether the disk pays for it
   */
  constructor(volume, bytes, isPaidFor = !volume.isReadOnly) {
    if (isPaidFor) volume.disk.take(nodeBytes + bytes);
    this.#isPaidFor = isPaidFor;
    this.volume = volume;
    this.number = volume.disk.nextNumber();
    this.accessedAt = this.modifiedAt = this.changedAt = volume.disk.now();
  }

  /** The bytes that it holds beside itself. */
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

  /** To be called when it has lost a name. */
  freeIfUnused() {
    if (this.names > 0 || this.opened > 0 || !this.#isPaidFor) return;
    this.volume.disk.give(nodeBytes + this.heldBytes);
  }

  /** Notes that its content is new. */
  touch() {
    this.modifiedAt = this.changedAt = this.volume.disk.now();
  }
}

/** A file: bytes in memory. */
export class FileNode extends AnyNode {
  type = fileType.file;
  #bytes;
  #length;
  /** Its bytes are somebody else's until it is written. */
  #isLent;

  /**
   * Throws `nospc`.
   *
   * @param {Volume} volume
   * @param {Uint8Array} [lent] what it holds at first, which is never changed and is kept by its owner for the whole call
   */
  constructor(volume, lent) {
    super(volume, lent?.length ?? 0);
    this.#bytes = lent ?? new Uint8Array();
    this.#length = this.#bytes.length;
    this.#isLent = lent !== undefined;
  }

  get size() {
    return this.#length;
  }

  /** What it holds now, not copied. */
  get content() {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @override */
  get heldBytes() {
    return this.#isLent ? 0 : this.#bytes.length;
  }

  /** Fills the target from `at` on, as far as there is something. @param {Uint8Array} target @param {number} at */
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
    // What lies beyond the end is always zero, for when it grows again.
    if (size < this.#length) this.#bytes.fill(0, size, this.#length);
    this.#length = size;
    this.touch();
  }

  /** Makes its bytes its own and long enough, with twice the room where that can be had. @param {number} size */
  #reserve(size) {
    if (size > Math.max(this.#length, this.volume.disk.fileBytesMax)) throw new WasiError(errno.fbig);
    if (!this.#isLent && size <= this.#bytes.length) return;
    const { disk } = this.volume;
    const least = Math.max(size, this.#length);
    const held = this.heldBytes;
    const room = Math.max(least, Math.min(2 * this.#length, disk.bytesLeft + held));
    disk.take(room - held);
    const larger = newBytes(room);
    larger.set(this.content);
    this.#bytes = larger;
    this.#isLent = false;
  }

  /** Gives its bytes back, or what was lent to it. */
  #free() {
    this.volume.disk.give(this.heldBytes);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    this.#isLent = false;
  }
}

/** A folder: names in the order in which they were made, each with a number by which a reader finds its place again. */
export class FolderNode extends AnyNode {
  type = fileType.folder;
  /** @type {Map<string, { node: Node, place: bigint }>} */
  #entries = new Map();
  #places = 2n;
  /** What fills it at its first use. @type {((folder: FolderNode) => void) | undefined} */
  #fill;
  /** Whether it was removed while a descriptor is open on it. */
  isRemoved = false;

  /**
   * Throws `nospc`.
   *
   * @param {Volume} volume
   * @param {FolderNode} [parent] absent for the uppermost
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

  /** Gives a name that is free to a node. Throws `nospc`. @param {string} name @param {Node} node */
  add(name, node) {
    // The first one is paid for with the node.
    if (node.names > 0) this.volume.disk.take(nodeBytes);
    this.entries.set(name, { node, place: this.#places++ });
    node.names += 1;
    if (node.type === fileType.folder) /** @type {FolderNode} */ (node).parent = this;
    this.touch();
  }

  /** Takes a name away, and frees what has no other. @param {string} name */
  remove(name) {
    this.detach(name)?.freeIfUnused();
  }

  /** Takes a name away from a node that is to have another one. @param {string} name */
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

/** A symbolic link. It only ever leads to places beneath the folder that a path is looked up from. */
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
