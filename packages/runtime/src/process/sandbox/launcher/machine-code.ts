import type { Architecture, SystemCall } from '../seccomp/syscalls.ts';
import { u32 } from './little-endian.ts';

/**
 * A call's arguments: up to four 32-bit numbers. The first may be the result of the previous call. The
 * second may be the address of `scratch`: a few bytes that the call may write.
 */
type Arguments = readonly [number | 'result'] | readonly [number | 'result', number | 'scratch', ...number[]];

/**
 * One step of a program: a system call, or closing every descriptor from a number on, which cannot
 * fail. `started with` passes `execve` the program's own `argv[1]`, the following arguments and the
 * environment. A call that `transfers` also fails if it transfers no byte.
 */
export type Step =
  | { call: SystemCall; args: Arguments | 'started with'; transfers?: true }
  | { closeFrom: number };

/** Without `close_range` (Linux 5.9), descriptors are closed one by one, up to this number. */
const closedOneByOne = 65_536;
const closeRange: SystemCall = ['close_range', 436, 436];
const noFlags = 0;
const highestDescriptor = 0xffff_ffff;

/** The instructions of one architecture. */
interface Machine {
  number(call: SystemCall): number;
  /** `register` is an argument's index, or `numberRegister`. */
  constant(register: number, value: number): number[];
  /** Moves the last result into the first argument. */
  passResult: number[];
  /** Moves an address below the stack into the second argument. */
  passScratch: number[];
  /**
   * Moves `argv[1]`, `&argv[1]` and the environment into the arguments. When a program starts, its
   * stack holds `argc`, that many pointers, a null, and the environment's pointers.
   */
  passStart: number[];
  systemCall: number[];
  /** Skips `distance` bytes after a call that failed. */
  skipIfNegative(distance: number): number[];
  /** Skips `distance` bytes after a call that failed or returned 0. */
  skipUnlessPositive(distance: number): number[];
  /** Skips `distance` bytes after a call that succeeded. */
  skipUnlessNegative(distance: number): number[];
  /** Closes the descriptors from `first` up to `closedOneByOne`. */
  closeEach(first: number): number[];
}

/** The register for a call's number; arguments are 0 to 3. */
const numberRegister = 4;

const machines: Readonly<Record<Architecture, Machine>> = {
  x64: {
    number: ([, x64]) => x64 ?? Number.NaN,
    // mov edi/esi/edx/r10d/eax, value
    constant: (register, value) => [
      ...([[0xbf], [0xbe], [0xba], [0x41, 0xba], [0xb8]][register] ?? [Number.NaN]),
      ...u32(value),
    ],
    passResult: [0x89, 0xc7], // mov edi, eax
    passScratch: [0x48, 0x8d, 0x74, 0x24, 0xf0], // lea rsi, [rsp-16]
    passStart: [
      ...[0x48, 0x8b, 0x7c, 0x24, 0x10], // mov rdi, [rsp+16]
      ...[0x48, 0x8d, 0x74, 0x24, 0x10], // lea rsi, [rsp+16]
      ...[0x48, 0x8b, 0x14, 0x24], // mov rdx, [rsp]
      ...[0x48, 0x8d, 0x54, 0xd4, 0x10], // lea rdx, [rsp+8*rdx+16]
    ],
    systemCall: [0x0f, 0x05], // syscall
    // test eax, eax; js distance
    skipIfNegative: (distance) => [0x85, 0xc0, 0x0f, 0x88, ...u32(distance)],
    // test eax, eax; jle distance
    skipUnlessPositive: (distance) => [0x85, 0xc0, 0x0f, 0x8e, ...u32(distance)],
    // test eax, eax; jns distance
    skipUnlessNegative: (distance) => [0x85, 0xc0, 0x0f, 0x89, ...u32(distance)],
    closeEach: (first) => [
      ...[0xbb, ...u32(first)], // mov ebx, first
      ...[0x89, 0xdf], // mov edi, ebx
      ...[0xb8, ...u32(3)], // mov eax, close
      ...[0x0f, 0x05], // syscall
      ...[0xff, 0xc3], // inc ebx
      ...[0x81, 0xfb, ...u32(closedOneByOne)], // cmp ebx, closedOneByOne
      ...[0x75, 0xed], // jne to "mov edi"
    ],
  },
  arm64: {
    number: ([, , arm64]) => arm64 ?? Number.NaN,
    constant: (register, value) => {
      const to = [0, 1, 2, 3, 8][register] ?? Number.NaN;
      const [low, high] = [value % 0x1_0000, Math.floor(value / 0x1_0000)];
      // movz to, low; movk to, high, lsl 16
      return [...u32(0xd280_0000 + low * 32 + to), ...u32(0xf2a0_0000 + high * 32 + to)];
    },
    // Both are x0.
    passResult: [],
    passScratch: u32(0xd100_43e1), // sub x1, sp, 16
    passStart: [
      0xf940_0be0, // ldr x0, [sp, 16]
      0x9100_43e1, // add x1, sp, 16
      0xf940_03e2, // ldr x2, [sp]
      0x8b22_6fe2, // add x2, sp, x2, lsl 3
      0x9100_4042, // add x2, x2, 16
    ].flatMap(u32),
    systemCall: u32(0xd400_0001), // svc 0
    // tbnz x0, 63, distance; counted in instructions, this one included
    skipIfNegative: (distance) => u32(0xb7f8_0000 + (distance / 4 + 1) * 32),
    // cmp x0, 0; b.le distance
    skipUnlessPositive: (distance) => [...u32(0xf100_001f), ...u32(0x5400_000d + (distance / 4 + 1) * 32)],
    // tbz x0, 63, distance
    skipUnlessNegative: (distance) => u32(0xb6f8_0000 + (distance / 4 + 1) * 32),
    closeEach: (first) =>
      [
        0xd280_0013 + first * 32, // mov x19, first
        0xaa13_03e0, // mov x0, x19
        0xd280_0728, // mov x8, close
        0xd400_0001, // svc 0
        0x9100_0673, // add x19, x19, 1
        0xf140_027f + (closedOneByOne / 4096) * 1024, // cmp x19, closedOneByOne
        0x54ff_ff61, // b.ne to "mov x0"
      ].flatMap(u32),
  },
};

/**
 * Instructions that run `steps` until one fails, then `last` if all succeeded, or `otherwise` if
 * one failed.
 */
export function machineCode(
  architecture: Architecture,
  { steps, last, otherwise }: Record<'steps' | 'last' | 'otherwise', readonly Step[]>,
): number[] {
  const machine = machines[architecture];
  let code = last.flatMap((step) => written(machine, step));
  // Built from the end, because each step skips everything after it.
  for (const step of steps.toReversed()) {
    code = [...written(machine, step), ...skipping(machine, step, code.length), ...code];
  }
  return [...code, ...otherwise.flatMap((step) => written(machine, step))];
}

/** Returns the code that follows a step: if it failed, `distance` bytes are skipped. */
function skipping(machine: Machine, step: Step, distance: number): number[] {
  if (!('call' in step)) return [];
  return step.transfers ? machine.skipUnlessPositive(distance) : machine.skipIfNegative(distance);
}

function written(machine: Machine, step: Step): number[] {
  if ('closeFrom' in step) return closing(machine, step.closeFrom);
  const { call, args } = step;
  const passed =
    args === 'started with'
      ? machine.passStart
      : args.flatMap((each, index) => {
          if (each === 'result') return machine.passResult;
          return each === 'scratch' ? machine.passScratch : machine.constant(index, each);
        });
  return [...passed, ...machine.constant(numberRegister, machine.number(call)), ...machine.systemCall];
}

function closing(machine: Machine, first: number): number[] {
  const closeAll = written(machine, { call: closeRange, args: [first, highestDescriptor, noFlags] });
  const each = machine.closeEach(first);
  return [...closeAll, ...machine.skipUnlessNegative(each.length), ...each];
}
