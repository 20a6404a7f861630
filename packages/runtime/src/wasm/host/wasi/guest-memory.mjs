/** An address that is not in the module's memory. */
export class AddressFault extends Error {
  constructor() {
    super('a host function received an address outside the memory');
  }
}

/**
 * A module's memory for host functions. Addresses are the signed numbers that WebAssembly passes.
 * Each access uses the current buffer, because the memory moves when it grows.
 *
 * Every access throws `AddressFault` if it is out of range.
 */
export class GuestMemory {
  /** @type {WebAssembly.Memory | undefined} */
  #memory;

  /** Call when the instance exists, which is after its imports. @param {unknown} memory */
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
