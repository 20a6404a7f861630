import { describe, expect, test } from 'vitest';
import { seccompFilter } from './filter.ts';
import { conditionalCalls, highestKnown, modeCalls, refusedCalls } from './syscalls.ts';

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const error = (errno: number): number => 0x0005_0000 | errno;
const [notPermitted, noSuchCall, noSuchFamily] = [error(1), error(38), error(97)];

/** A call as the kernel shows it to a filter: `struct seccomp_data`. */
function data(architecture: number, number: number, ...args: number[]): DataView {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(0, number, true);
  view.setUint32(4, architecture, true);
  for (const [index, arg] of args.entries()) view.setBigUint64(16 + 8 * index, BigInt(arg), true);
  return view;
}

/** What the kernel would answer: classic BPF, as far as the filter uses it. */
function answer(filter: Uint8Array, call: DataView): number {
  const program = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const code = program.getUint16(at * 8, true);
    const [yes, no] = [program.getUint8(at * 8 + 2), program.getUint8(at * 8 + 3)];
    const operand = program.getUint32(at * 8 + 4, true);
    if (code === 0x06) return operand;
    if (code === 0x20) accumulator = call.getUint32(operand, true);
    else if (code === 0x15) at += accumulator === operand ? yes : no;
    else if (code === 0x25) at += accumulator > operand ? yes : no;
    else if (code === 0x45) at += (accumulator & operand) !== 0 ? yes : no;
    else throw new Error(`the filter has an instruction ${code}`);
  }
  throw new Error('the filter ends without an answer');
}

describe.each([
  { machine: 'x64', audit: 0xc000_003e, foreign: 0x4000_0003, read: 0, column: 1 },
  { machine: 'arm64', audit: 0xc000_00b7, foreign: 0x4000_0028, read: 63, column: 2 },
] as const)('on $machine', ({ machine, audit, foreign, read, column }) => {
  const filter = seccompFilter(machine);
  const ask = (number: number, ...args: number[]): number => answer(filter, data(audit, number, ...args));
  const number = (call: keyof typeof conditionalCalls): number => conditionalCalls[call][machine];

  test.each(
    refusedCalls
      .flatMap(({ calls }) => calls)
      .flatMap((call) => (call[column] === null ? [] : [[call[0], call[column]] as const])),
  )('%s is refused', (_, call) => {
    expect(ask(call)).toBe(notPermitted);
  });

  test('every other call that the kernel knew is allowed', () => {
    const special = new Set<number>([
      ...refusedCalls.flatMap(({ calls }) => calls.map((call) => call[column] ?? -1)),
      ...Object.values(conditionalCalls).map((each) => each[machine]),
      ...modeCalls.map(({ call }) => call[column] ?? -1),
    ]);
    for (let call = 0; call <= highestKnown; call++) if (!special.has(call)) expect(ask(call)).toBe(allow);
    expect(ask(read)).toBe(allow);
  });

  test('calls of the kernel’s future, and those of x32, do not exist', () => {
    expect([highestKnown + 1, 0x4000_0000 + 39, 0xffff_ffff].map((call) => ask(call))).toEqual(
      Array(3).fill(noSuchCall),
    );
  });

  test('a call of another ABI ends the process', () => {
    expect(answer(filter, data(foreign, read))).toBe(kill);
  });

  test('clone makes processes and threads and no namespaces, and clone3 is not there', () => {
    const [thread, fork] = [0x3d_0f00, 0x11];
    expect([thread, fork].map((flags) => ask(number('clone'), flags))).toEqual([allow, allow]);
    const namespaces = [
      0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ];
    expect(namespaces.map((flag) => ask(number('clone'), fork + flag))).toEqual(
      namespaces.map(() => notPermitted),
    );
    expect(ask(number('clone3'))).toBe(noSuchCall);
  });

  test('a terminal can be asked and not typed into', () => {
    const [tcgets, winsize, sti, linux, setd, cons] = [0x5401, 0x5413, 0x5412, 0x541c, 0x5423, 0x541d];
    expect([tcgets, winsize].map((request) => ask(number('ioctl'), 0, request))).toEqual([allow, allow]);
    // The kernel takes 32 bits of the request: what stands above them changes nothing.
    const injections = [sti, linux, setd, cons, 2 ** 32 + sti];
    expect(injections.map((request) => ask(number('ioctl'), 0, request))).toEqual(
      injections.map(() => notPermitted),
    );
  });

  test.each(
    modeCalls.flatMap(({ call, mode, flags }) =>
      call[column] === null ? [] : [[call[0], call[column], mode, flags] as const],
    ),
  )('%s gives a file any mode but one that makes it somebody else’s program', (_, call, mode, flags) => {
    const args = (bits: number, creating: number): number[] =>
      Array.from({ length: 4 }, (__, index) => (index === mode ? bits : index === flags ? creating : 0));
    const [setuid, setgid, plain, create] = [0o4755, 0o2755, 0o1777, 0o100];
    expect([setuid, setgid, plain].map((bits) => ask(call, ...args(bits, create)))).toEqual([
      notPermitted,
      notPermitted,
      allow,
    ]);
    // Without a flag that creates, what stands in the mode's place means nothing.
    if (flags !== undefined) expect(ask(call, ...args(setuid, 0))).toBe(allow);
  });

  test('the execution domain is the plain one', () => {
    expect([0, 0xffff_ffff].map((persona) => ask(number('personality'), persona))).toEqual([allow, allow]);
    const noRandomness = 0x4_0000;
    expect(ask(number('personality'), noRandomness)).toBe(notPermitted);
  });

  test('sockets are of the Internet or netlink, and local ones come in pairs', () => {
    expect([2, 10, 16].map((family) => ask(number('socket'), family))).toEqual(Array(3).fill(allow));
    expect([1, 2, 30].map((family) => ask(number('socketpair'), family))).toEqual([
      allow,
      noSuchFamily,
      noSuchFamily,
    ]);
    const [local, packet, alg, vsock, xdp] = [1, 17, 38, 40, 44];
    expect([local, packet, alg, vsock, xdp].map((family) => ask(number('socket'), family))).toEqual(
      Array(5).fill(noSuchFamily),
    );
  });
});
