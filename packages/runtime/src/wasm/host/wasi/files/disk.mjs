import { errno, WasiError } from '../errno.mjs';

/** What a file, a folder, and each further name of a file cost beside their bytes. The daemon counts with the same number. */
export const nodeBytes = 512;

/**
 * The memory that the files of one call live in. Nothing of it is a file of the host's, and nothing outlives the call.
 */
export class Disk {
  #bytesMax;
  #used = 0;
  #peak = 0;
  #nodes = 0;

  /**
   * @param {number} bytesMax
   * @param {number} fileBytesMax for each file that is written
   * @param {() => bigint} now in nanoseconds since 1970
   */
  constructor(bytesMax, fileBytesMax, now) {
    this.#bytesMax = bytesMax;
    this.fileBytesMax = fileBytesMax;
    this.now = now;
  }

  /** The most that was in use at a time. */
  get peakBytes() {
    return this.#peak;
  }

  get bytesLeft() {
    return this.#bytesMax - this.#used;
  }

  /** A number that no other file of the call has. */
  nextNumber() {
    return BigInt(++this.#nodes);
  }

  /** Throws `nospc` before anything is made. @param {number} bytes */
  take(bytes) {
    if (bytes > this.bytesLeft) throw new WasiError(errno.nospc);
    this.#used += bytes;
    this.#peak = Math.max(this.#peak, this.#used);
  }

  /** @param {number} bytes */
  give(bytes) {
    this.#used -= bytes;
  }
}

/** Throws `nospc` where the machine has no such memory. @param {number} length */
export function newBytes(length) {
  try {
    return new Uint8Array(length);
  } catch {
    throw new WasiError(errno.nospc);
  }
}
