/** @import { CallContext } from '@extism/extism' */
import { OutOfMemory } from '../out-of-memory.mjs';

/** What a block costs of the heap, however short it is. */
const blockOverheadBytes = 256;

/**
 * Those of Extism's functions that make blocks of memory, held to `bytesMax` for all that live at a time. Extism's own
 * `maxPages` is no bound: the block is made first, and can be written to although its address was not told.
 *
 * They and `store`, which makes a block of what the host has for the plug-in, throw `OutOfMemory` before anything is made.
 *
 * @param {number} bytesMax
 */
export function boundedFunctions(bytesMax) {
  /** @type {bigint[]} */
  let blocks = [];
  // Never less than what lives: blocks that were freed are found out only when it matters.
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
    /** The most that lived at a time, as far as it was counted. */
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
        // A copy: the variable outlives what the plug-in does to the block.
        return store(context, value.bytes().slice());
      },
    },
  };
}
