/** @import { Features } from './types.mjs' */
/** @import { Reader } from './reader.mjs' */
import { bulk } from './opcodes.mjs';
import { Refusal } from './refusal.mjs';
import { skipBlockType, skipHeapType, skipValueType } from './types.mjs';

/** @typedef {(reader: Reader, features: Features) => void} Skip */

/** @type {Skip} */
const nothing = () => undefined;

/** @type {Skip} */
const number = (reader) => reader.skipNumber();

/** @type {Skip} */
const twoNumbers = (reader) => {
  reader.skipNumber();
  reader.skipNumber();
};

/** @param {number} count */
const bytes = (count) => (/** @type {Reader} */ reader) => void reader.take(count);

/** Alignment and offset; a bit of the alignment shows that a memory index follows it. */
const memoryIndexFollows = 0x40;
/** @type {Skip} */
const address = (reader) => {
  if ((reader.unsigned() & memoryIndexFollows) !== 0) reader.skipNumber();
  reader.skipNumber();
};

/** @type {Skip} */
const addressAndLane = (reader) => {
  address(reader, { simd: true });
  reader.byte();
};

/** @type {Skip} */
const valueTypes = (reader, features) => {
  for (let count = reader.unsigned(); count > 0; count--) skipValueType(reader, features);
};

/**
 * The operands of an instruction, by its first byte (core specification, section 5.4). Instructions
 * that are not listed are refused by name or as unknown, except the control flow that
 * changes-of.mjs reads itself.
 *
 * @type {[from: number, to: number, skip: Skip][]}
 */
const plain = [
  [0x01, 0x01, nothing],
  [0x02, 0x04, skipBlockType],
  [0x10, 0x10, number],
  [0x11, 0x11, twoNumbers],
  [0x1a, 0x1b, nothing],
  [0x1c, 0x1c, valueTypes],
  [0x20, 0x26, number],
  [0x28, 0x3e, address],
  [0x3f, 0x3f, number],
  [0x41, 0x42, number],
  [0x43, 0x43, bytes(4)],
  [0x44, 0x44, bytes(8)],
  [0x45, 0xc4, nothing],
  [0xd0, 0xd0, skipHeapType],
  [0xd1, 0xd1, nothing],
  [0xd2, 0xd2, number],
];

/**
 * With the prefix 0xfc: saturating conversions, then bulk memory and tables.
 *
 * @type {typeof plain}
 */
const miscellaneous = [
  [0, 7, nothing],
  [8, 8, twoNumbers],
  [9, 9, number],
  [10, 10, twoNumbers],
  [11, 11, number],
  [12, 12, twoNumbers],
  [13, 13, number],
  [14, 14, twoNumbers],
  [15, 17, number],
];

/** With the prefix 0xfd; from 0x100 on, relaxed SIMD. @type {typeof plain} */
const vector = [
  [0x00, 0x0b, address],
  [0x0c, 0x0d, bytes(16)],
  [0x0e, 0x14, nothing],
  [0x15, 0x22, bytes(1)],
  [0x23, 0x53, nothing],
  [0x54, 0x5b, addressAndLane],
  [0x5c, 0x5d, address],
  [0x5e, 0xff, nothing],
  [0x100, 0x113, nothing],
];

/** The proposals of other instructions. @type {[from: number, to: number, feature: string][]} */
const refused = [
  [0x14, 0x15, 'typed function references'],
  [0xd3, 0xd3, 'garbage collection'],
  [0xd4, 0xd6, 'typed function references'],
  [0xe0, 0xe6, 'stack switching'],
  [0xfb, 0xfb, 'garbage collection'],
  [0xfe, 0xfe, 'threads'],
];

const vectorPrefix = 0xfd;
const skips = indexed(plain);
const miscellaneousSkips = indexed(miscellaneous);
const vectorSkips = indexed(vector);

/**
 * Skips an instruction's operands, after its first byte. Throws `Refusal` for an instruction that
 * cannot be metered.
 *
 * @param {Reader} reader
 * @param {number} first
 * @param {Features} features
 */
export function skipImmediates(reader, first, features) {
  const skip = skips[first];
  if (skip !== undefined) skip(reader, features);
  else if (first === bulk.prefix) skipBulk(reader, reader.unsigned(), features);
  else if (first === vectorPrefix) skipVector(reader, features);
  else throw new Refusal(`uses ${featureOf(first)}, which cannot be metered`);
}

/**
 * Skips the operands of an instruction with the prefix 0xfc, after its second number.
 *
 * @param {Reader} reader
 * @param {number} second
 * @param {Features} features
 */
export function skipBulk(reader, second, features) {
  const skip = miscellaneousSkips[second];
  if (skip === undefined) throw new Refusal(`uses the instruction 0xfc ${second}, which cannot be metered`);
  skip(reader, features);
}

/**
 * @param {Reader} reader
 * @param {Features} features
 */
function skipVector(reader, features) {
  if (!features.simd) throw new Refusal('uses SIMD, which untrusted skills may not use');
  const second = reader.unsigned();
  const skip = vectorSkips[second];
  if (skip === undefined) throw new Refusal(`uses the instruction 0xfd ${second}, which cannot be metered`);
  skip(reader, features);
}

/** @param {number} first */
function featureOf(first) {
  const known = refused.find(([from, to]) => from <= first && first <= to);
  return known?.[2] ?? `the instruction 0x${first.toString(16).padStart(2, '0')}`;
}

/** @param {typeof plain} ranges */
function indexed(ranges) {
  /** @type {(Skip | undefined)[]} */
  const table = new Array((ranges.at(-1)?.[1] ?? 0) + 1).fill(undefined);
  for (const [from, to, skip] of ranges) table.fill(skip, from, to + 1);
  return table;
}
