/** One instruction of classic BPF: `struct sock_filter` of `linux/filter.h`. */
interface Instruction {
  code: number;
  jumpTrue: number;
  jumpFalse: number;
  operand: number;
}

/** Results that a filter can return (`linux/seccomp.h`). */
export const answers = {
  allow: 0x7fff_0000,
  killProcess: 0x8000_0000,
  /** The call fails with this error number and has no other effect. */
  error: (errno: number): number => 0x0005_0000 | errno,
} as const;

/**
 * `EPERM`, `ENOMEM`, `ENOSYS`, `EPROTONOSUPPORT`, `ESOCKTNOSUPPORT` and `EAFNOSUPPORT`, equal on
 * both architectures.
 */
export const errors = {
  notPermitted: 1,
  noMemory: 12,
  noSuchCall: 38,
  noSuchProtocol: 93,
  noSuchType: 94,
  noSuchFamily: 97,
} as const;

/** A field of a call. For an argument, 32 bits: the lower half by default. */
type Field = 'number' | 'architecture' | { argument: number; half?: 'lower' | 'upper' };

/** Its offset into `struct seccomp_data` on a little-endian machine. */
function offsetOf(field: Field): number {
  if (field === 'number') return 0;
  if (field === 'architecture') return 4;
  return 16 + 8 * field.argument + (field.half === 'upper' ? 4 : 0);
}

const opcodes = {
  load: 0x20,
  and: 0x54,
  jumpEqual: 0x15,
  jumpAbove: 0x25,
  jumpAnyBit: 0x45,
  answer: 0x06,
} as const;

/** Loads a field of the call into the accumulator, which `when` and `unless` test. */
export function load(field: Field): Instruction[] {
  return [{ code: opcodes.load, jumpTrue: 0, jumpFalse: 0, operand: offsetOf(field) }];
}

/** Clears all other bits of the accumulator. */
export function mask(bits: number): Instruction[] {
  return [{ code: opcodes.and, jumpTrue: 0, jumpFalse: 0, operand: bits }];
}

/** Returns a result. */
export function answer(value: number): Instruction[] {
  return [{ code: opcodes.answer, jumpTrue: 0, jumpFalse: 0, operand: value }];
}

type Test = 'equals' | 'above' | 'hasAnyBitOf';

/**
 * Runs `then` if the test holds, then continues after it. A jump reaches at most 255 instructions.
 */
export function when(test: Test, operand: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: opcodeOf(test), jumpTrue: 0, jumpFalse: reach(then), operand }, ...then];
}

/** Runs `then` if the test does not hold, then continues after it. */
export function unless(test: Test, operand: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: opcodeOf(test), jumpTrue: reach(then), jumpFalse: 0, operand }, ...then];
}

function opcodeOf(test: Test): number {
  return { equals: opcodes.jumpEqual, above: opcodes.jumpAbove, hasAnyBitOf: opcodes.jumpAnyBit }[test];
}

function reach(branch: readonly Instruction[]): number {
  if (branch.length > 255)
    throw new RangeError(`a branch has ${branch.length} instructions; a jump reaches 255`);
  return branch.length;
}

/**
 * The program as the kernel reads it: `u16 code, u8 jt, u8 jf, u32 k` for each instruction,
 * little-endian.
 */
export function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, jumpTrue, jumpFalse, operand }] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jumpTrue);
    view.setUint8(index * 8 + 3, jumpFalse);
    view.setUint32(index * 8 + 4, operand >>> 0, true);
  }
  return bytes;
}
