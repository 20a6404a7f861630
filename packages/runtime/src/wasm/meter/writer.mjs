/** Writes values of the binary format into a growing buffer. */
export class Writer {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get length() {
    return this.#length;
  }

  /** The bytes written so far, valid until the next write. */
  get written() {
    return this.#bytes.subarray(0, this.#length);
  }

  clear() {
    this.#length = 0;
  }

  /** @param {ArrayLike<number>} bytes */
  bytes(bytes) {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /**
   * Copies the bytes from `start` to `end`. Most pieces between two charges are short, and creating
   * a view of each would cost more.
   *
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} end
   */
  copy(bytes, start, end) {
    if (end - start > 64) return this.bytes(bytes.subarray(start, end));
    this.#reserve(end - start);
    for (let index = start; index < end; index++) this.#bytes[this.#length++] = bytes[index] ?? 0;
  }

  /**
   * An unsigned LEB128.
   *
   * @param {number} value
   */
  unsigned(value) {
    this.#reserve(5);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  /**
   * A signed LEB128 of a value that is not negative: the second bit of its last byte must not be
   * read as a sign.
   *
   * @param {number} value
   */
  signed(value) {
    this.unsigned(value);
    const last = this.#bytes[this.#length - 1] ?? 0;
    if (last < 0x40) return;
    this.#reserve(1);
    this.#bytes[this.#length - 1] = last | 0x80;
    this.#bytes[this.#length++] = 0;
  }

  /**
   * Its length, then the bytes.
   *
   * @param {Uint8Array} bytes
   */
  sized(bytes) {
    this.unsigned(bytes.length);
    this.bytes(bytes);
  }

  /** @param {number} more */
  #reserve(more) {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
    grown.set(this.written);
    this.#bytes = grown;
  }
}
