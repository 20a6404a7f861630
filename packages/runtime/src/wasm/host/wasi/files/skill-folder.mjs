/** @import { Disk } from './disk.mjs' */
/** @import { Volume } from './nodes.mjs' */
import { errno, WasiError } from '../errno.mjs';
import { AnyNode, FolderNode, fileType } from './nodes.mjs';
import { placeFile } from './place-files.mjs';

/**
 * The daemon's answers about the skill's own files: the list, and the content of one. Both throw on
 * failure.
 *
 * @typedef {{ list: () => readonly { path: string, bytes: number }[], read: (path: string) =>
 *   Uint8Array }} SkillFiles
 */

/**
 * A file of the skill. Its bytes come from the daemon, and are in memory while a descriptor is open
 * on it.
 */
class SkillFile extends AnyNode {
  type = fileType.file;
  /** @type {Uint8Array} */
  #content = new Uint8Array();
  #read;

  /** @param {Volume} volume @param {number} size @param {() => Uint8Array} read */
  constructor(volume, size, read) {
    super(volume, 0);
    this.size = size;
    this.#read = read;
  }

  /** Throws `nomem`, and `io` for a file that cannot be read. @override */
  open() {
    if (this.opened === 0) this.#load();
    super.open();
  }

  /** @override */
  close() {
    super.close();
    if (this.opened > 0) return;
    this.volume.disk.give(this.#content.length);
    this.#content = new Uint8Array();
  }

  get content() {
    return this.#content;
  }

  /** @param {Uint8Array} target @param {number} at */
  read(target, at) {
    const part = this.#content.subarray(at, at + target.length);
    target.set(part);
    return part.length;
  }

  /** @returns {never} */
  write() {
    throw new WasiError(errno.rofs);
  }

  /** @returns {never} */
  resize() {
    throw new WasiError(errno.rofs);
  }

  #load() {
    const { disk } = this.volume;
    if (this.size > disk.bytesLeft) throw new WasiError(errno.nomem);
    const content = answered(this.#read);
    disk.take(content.length);
    this.#content = content;
  }
}

/**
 * The skill's own folder, read-only. Nothing is requested before the first access.
 *
 * @param {Disk} disk
 * @param {bigint} number
 * @param {SkillFiles} files
 */
export function skillFolder(disk, number, files) {
  const volume = { disk, number, isReadOnly: true };
  return new FolderNode(volume, undefined, (folder) => {
    for (const { path, bytes } of answered(files.list)) {
      placeFile(folder, path, /** @type {any} */ (new SkillFile(volume, bytes, () => files.read(path))));
    }
  });
}

/**
 * @template T
 * @param {() => T} ask
 */
function answered(ask) {
  try {
    return ask();
  } catch {
    throw new WasiError(errno.io);
  }
}
