/** @import { Reader } from './reader.mjs' */
import { type } from './opcodes.mjs';
import { Refusal } from './refusal.mjs';

/**
 * The features that a module may use. `simd` depends on trust, because the engine's SIMD code is
 * large and young. It includes the relaxed instructions, which may differ between machines.
 *
 * @typedef {{ simd: boolean }} Features
 */

const vectorType = 0x7b;
/** Numbers, funcref, externref, exnref. */
const allowed = new Set([0x7f, 0x7e, 0x7d, 0x7c, 0x70, 0x6f, 0x69]);
/** References to the module's own types, or that cannot be null. */
const typedReferences = new Set([0x63, 0x64]);

/**
 * Skips a value type. Throws `Refusal` for a type of a refused feature.
 *
 * @param {Reader} reader
 * @param {Features} features
 */
export function skipValueType(reader, features) {
  const byte = reader.byte();
  if (allowed.has(byte)) return;
  if (byte === vectorType) {
    if (!features.simd) throw new Refusal('uses SIMD, which untrusted skills may not use');
    return;
  }
  if (typedReferences.has(byte)) throw new Refusal('uses typed function references, which cannot be metered');
  throw new Refusal('uses garbage collection, which cannot be metered');
}

/**
 * Skips a block type: nothing, one value, or the index of a function type.
 *
 * @param {Reader} reader
 * @param {Features} features
 */
export function skipBlockType(reader, features) {
  const first = reader.bytes[reader.offset] ?? 0;
  if (first === type.empty) reader.byte();
  // Types are negative one-byte numbers; an index is positive, and may use more bytes than
  // necessary.
  else if (first > type.empty && first < 0x80) skipValueType(reader, features);
  else reader.skipNumber();
}

/**
 * Skips the heap type of `ref.null`.
 *
 * @param {Reader} reader
 * @param {Features} features
 */
export function skipHeapType(reader, features) {
  const first = reader.bytes[reader.offset] ?? 0;
  if (!allowed.has(first)) throw new Refusal('uses typed function references, which cannot be metered');
  skipValueType(reader, features);
}
