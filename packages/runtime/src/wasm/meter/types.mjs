/** @import { Reader } from './reader.mjs' */
import { type } from './opcodes.mjs';
import { Refusal } from './refusal.mjs';

/**
 * What a module may use. `simd` is a matter of trust, as the engine's part for it is large and young; the relaxed
 * instructions, which may differ from machine to machine, go with it.
 *
 * @typedef {{ simd: boolean }} Features
 */

const vectorType = 0x7b;
/** The numbers, funcref, externref, exnref. */
const allowed = new Set([0x7f, 0x7e, 0x7d, 0x7c, 0x70, 0x6f, 0x69]);
/** A reference to a type of the module's own, or one that cannot be null. */
const typedReferences = new Set([0x63, 0x64]);

/**
 * Goes over a value's type. Throws `Refusal` for one of a feature that is refused.
 *
 * @param {Reader} reader
 * @param {Features} features
 */
export function skipValueType(reader, features) {
  const byte = reader.byte();
  if (allowed.has(byte)) return;
  if (byte === vectorType) {
    if (!features.simd) throw new Refusal('uses SIMD, which untrusted skills may not');
    return;
  }
  if (typedReferences.has(byte)) throw new Refusal('uses typed function references, which cannot be metered');
  throw new Refusal('uses garbage collection, which cannot be metered');
}

/**
 * Goes over the type of a block: nothing, one value, or the index of a function's type.
 *
 * @param {Reader} reader
 * @param {Features} features
 */
export function skipBlockType(reader, features) {
  const first = reader.bytes[reader.offset] ?? 0;
  if (first === type.empty) reader.byte();
  // The types are negative numbers of one byte; an index is positive, and may be longer than it needs to be.
  else if (first > type.empty && first < 0x80) skipValueType(reader, features);
  else reader.skipNumber();
}

/**
 * Goes over what `ref.null` is a null of.
 *
 * @param {Reader} reader
 * @param {Features} features
 */
export function skipHeapType(reader, features) {
  const first = reader.bytes[reader.offset] ?? 0;
  if (!allowed.has(first)) throw new Refusal('uses typed function references, which cannot be metered');
  skipValueType(reader, features);
}
