/** @import { CallContext } from '@extism/extism' */
import { OutOfMemory } from '../out-of-memory.mjs';

/** The heap overhead of a block of any length. */
const blockOverheadBytes = 256;

/**
 * Extism's functions that allocate memory blocks, limited to `bytesMax` for all live blocks.
 * Extism's own `maxPages` is no limit: it allocates the block first, and the plug-in can write to
 * it without knowing its address.
 *
 * These functions and `store`, which allocates blocks for the host's data, throw `OutOfMemory`
 * before they allocate.
 *
 * @param {number} bytesMax
 */
export function boundedFunctions(bytesMax) {
  /** @type {bigint[]} */
  let blocks = [];
  // At least the size of the live blocks: freed ones are subtracted only when the limit is reached.
  let heldBytes = 0;
  let peakBytes = 0;

  /**
   * @param {CallContext} context
   * @param {number} contentBytes
   */
  const reserve = (context, contentBytes) => {
    const bytes = contentBytes + blockOverheadBytes;
    if (heldBytes + bytes > bytesMax) {
      blocks = blocks.filter((address) => context.read(address) !== null);
      heldBytes = blocks.reduce(
        (total, address) => total + Number(context.length(address)) + blockOverheadBytes,
        0,
      );
    }
    if (heldBytes + bytes > bytesMax) throw new OutOfMemory();
    heldBytes += bytes;
    peakBytes = Math.max(peakBytes, heldBytes);
  };

  /** @param {bigint} address */
  const held = (address) => {
    blocks.push(address);
    return address;
  };

  /**
   * @param {CallContext} context
   * @param {Uint8Array} bytes
   */
  const store = (context, bytes) => {
    reserve(context, bytes.length);
    return held(context.store(bytes));
  };

  return {
    store,
    /** The peak size of live blocks. */
    get peakBytes() {
      return peakBytes;
    },
    functions: {
      alloc: (/** @type {CallContext} */ context, /** @type {bigint} */ size) => {
        const bytes = Number(BigInt.asUintN(64, size));
        reserve(context, bytes);
        return held(context.alloc(bytes));
      },
      var_get: (/** @type {CallContext} */ context, /** @type {bigint} */ key) => {
        const value = context.getVariable(context.read(key)?.string() ?? '');
        if (value === null) return 0n;
        // A copy: the plug-in can overwrite the block, and the variable outlives it.
        return store(context, value.bytes().slice());
      },
    },
  };
}
