/** An address that is not in the module's memory. */
export class AddressFault extends Error {
  constructor() {
    super('a host function was given an address outside of the memory');
  }
}

/**
 * A module's memory as host functions see it: addresses come as the signed numbers that WebAssembly passes, and each
 * access looks at the memory as it is then, because it moves when it grows.
 *
 * Every access throws `AddressFault` when it is not within.
 */
export class GuestMemory {
  /** @type {WebAssembly.Memory | undefined} */
  #memory;

  /** To be called once the instance is there, which is later than its imports. @param {unknown} memory */
  attach(memory) {
    if (memory instanceof WebAssembly.Memory) this.#memory = memory;
  }

  /** The memory itself, not a copy. @param {number} address @param {number} length */
  bytes(address, length) {
    const start = address >>> 0;
    const size = length >>> 0;
    const buffer = this.#memory?.buffer;
    if (buffer === undefined || start + size > buffer.byteLength) throw new AddressFault();
    return new Uint8Array(buffer, start, size);
  }

  /** @param {number} address @param {number} length */
  view(address, length) {
    const { buffer, byteOffset, byteLength } = this.bytes(address, length);
    return new DataView(buffer, byteOffset, byteLength);
  }

  /** @param {number} address @param {number} value */
  setU32(address, value) {
    this.view(address, 4).setUint32(0, value, true);
  }

  /** @param {number} address @param {bigint} value */
  setU64(address, value) {
    this.view(address, 8).setBigUint64(0, value, true);
  }
}
