import { Refusal } from './refusal.mjs';

/** Reads the values of the binary format one after the other. Every method throws `Refusal` at the end of the bytes. */
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

  /** An unsigned LEB128 of 32 bits; it may be longer than it needs to be. */
  unsigned() {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Refusal('has a number of more than 32 bits');
  }

  /** Goes over a LEB128 of whatever width. */
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
