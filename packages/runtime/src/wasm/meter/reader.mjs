import { Refusal } from './refusal.mjs';

/** Reads values of the binary format. Every method throws `Refusal` at the end of the bytes. */
export class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.offset = 0;
  }

  get atEnd() {
    return this.offset >= this.bytes.length;
  }

  byte() {
    const byte = this.bytes[this.offset];
    if (byte === undefined) throw new Refusal('ends in the middle of a section');
    this.offset += 1;
    return byte;
  }

  /** An unsigned 32-bit LEB128, which may use more bytes than necessary. */
  unsigned() {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Refusal('has a number of more than 32 bits');
  }

  /** Skips a LEB128 of any width. */
  skipNumber() {
    while (this.byte() >= 0x80);
  }

  /**
   * The next bytes, not copied.
   *
   * @param {number} length
   */
  take(length) {
    const end = this.offset + length;
    if (end > this.bytes.length) throw new Refusal('ends in the middle of a section');
    const taken = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }

  /** A name: its length, then its UTF-8. */
  name() {
    return new TextDecoder().decode(this.take(this.unsigned()));
  }
}
