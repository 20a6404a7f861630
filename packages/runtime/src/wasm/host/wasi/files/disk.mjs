import { errno, WasiError } from '../errno.mjs';

/**
 * The cost of a file, a folder, and each further name of a file, besides content. The daemon uses
 * the same number.
 */
export const nodeBytes = 512;

/** The memory of one call's files. None of them is a host file, and none outlives the call. */
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

  /** The peak usage. */
  get peakBytes() {
    return this.#peak;
  }

  get bytesLeft() {
    return this.#bytesMax - this.#used;
  }

  /** A unique number for a file of the call. */
  nextNumber() {
    return BigInt(++this.#nodes);
  }

  /** Throws `nospc` before anything is allocated. @param {number} bytes */
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

/** Throws `nospc` if the machine has too little memory. @param {number} length */
export function newBytes(length) {
  try {
    return new Uint8Array(length);
  } catch {
    throw new WasiError(errno.nospc);
  }
}
