// Threat model: T39, T47

import { describe, expect, test } from 'vitest';
import { conditionalCalls, modeCalls, refusedArguments } from './call-arguments.ts';
import { coreLimitFilter } from './core-limit-filter.ts';
import { seccompFilter } from './filter.ts';
import { absentCalls, highestKnown, refusedCalls } from './syscalls.ts';

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const error = (errno: number): number => 0x0005_0000 | errno;
const [notPermitted, noMemory, noSuchCall] = [error(1), error(12), error(38)];
const [noSuchProtocol, noSuchType, noSuchFamily] = [error(93), error(94), error(97)];

/** A call as the kernel passes it to a filter: `struct seccomp_data`. */
function data(architecture: number, number: number, ...args: number[]): DataView {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(0, number, true);
  view.setUint32(4, architecture, true);
  for (const [index, arg] of args.entries()) view.setBigUint64(16 + 8 * index, BigInt(arg), true);
  return view;
}

/** The kernel's result: classic BPF, as far as the filter uses it. */
function answer(filter: Uint8Array, call: DataView): number {
  const program = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const code = program.getUint16(at * 8, true);
    const [yes, no] = [program.getUint8(at * 8 + 2), program.getUint8(at * 8 + 3)];
    const operand = program.getUint32(at * 8 + 4, true);
    if (code === 0x06) return operand;
    if (code === 0x20) accumulator = call.getUint32(operand, true);
    else if (code === 0x54) accumulator &= operand;
    else if (code === 0x15) at += accumulator === operand ? yes : no;
    else if (code === 0x25) at += accumulator > operand ? yes : no;
    else if (code === 0x45) at += (accumulator & operand) !== 0 ? yes : no;
    else throw new Error(`the filter has an unknown instruction ${code}`);
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
  const numberOf = (name: string): number =>
    refusedArguments.find(({ call }) => call[0] === name)?.call[column] ?? Number.NaN;

  test.each(
    refusedCalls
      .flatMap(({ calls }) => calls)
      .flatMap((call) => (call[column] === null ? [] : [[call[0], call[column]] as const])),
  )('%s is refused', (_, call) => {
    expect(ask(call)).toBe(notPermitted);
  });

  test.each(
    absentCalls
      .flatMap(({ calls }) => calls)
      .flatMap((call) => (call[column] === null ? [] : [[call[0], call[column]] as const])),
  )('%s does not exist', (_, call) => {
    expect(ask(call)).toBe(noSuchCall);
  });

  test('every other known call is allowed', () => {
    const special = new Set<number>([
      ...[...refusedCalls, ...absentCalls].flatMap(({ calls }) => calls.map((call) => call[column] ?? -1)),
      ...refusedArguments.map(({ call }) => call[column] ?? -1),
      ...Object.values(conditionalCalls).map((each) => each[machine]),
      ...modeCalls.map(({ call }) => call[column] ?? -1),
    ]);
    for (let call = 0; call <= highestKnown; call++) if (!special.has(call)) expect(ask(call)).toBe(allow);
    expect(ask(read)).toBe(allow);
  });

  test('future calls and x32 calls fail with ENOSYS', () => {
    expect([highestKnown + 1, 0x4000_0000 + 39, 0xffff_ffff].map((call) => ask(call))).toEqual(
      Array(3).fill(noSuchCall),
    );
  });

  test('a call of another ABI kills the process', () => {
    expect(answer(filter, data(foreign, read))).toBe(kill);
  });

  test('clone can create processes and threads but no namespaces', () => {
    const [thread, fork] = [0x3d_0f00, 0x11];
    expect([thread, fork].map((flags) => ask(numberOf('clone'), flags))).toEqual([allow, allow]);
    const namespaces = [
      0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ];
    expect(namespaces.map((flag) => ask(numberOf('clone'), fork + flag))).toEqual(
      namespaces.map(() => notPermitted),
    );
  });

  test('ioctl allows ordinary requests and refuses terminal injection and module loading', () => {
    const [tcgets, winsize, ifconf] = [0x5401, 0x5413, 0x8912];
    expect([tcgets, winsize, ifconf].map((request) => ask(numberOf('ioctl'), 0, request))).toEqual([
      ...[allow, allow, allow],
    ]);
    const [sti, linux, setd, cons] = [0x5412, 0x541c, 0x5423, 0x541d];
    const [bridges, addBridge, vlan] = [0x8940, 0x89a0, 0x8982];
    // The kernel reads 32 bits of the request; higher bits change nothing.
    const requests = [sti, linux, setd, cons, bridges, addBridge, vlan, 2 ** 32 + sti];
    expect(requests.map((request) => ask(numberOf('ioctl'), 0, request))).toEqual(
      requests.map(() => notPermitted),
    );
  });

  test('fcntl can duplicate and lock descriptors but refuses leases and directory notices', () => {
    const [duplicate, lock, getLease, lease, notify] = [0, 6, 1025, 1024, 1026];
    expect([duplicate, lock, getLease].map((request) => ask(numberOf('fcntl'), 3, request))).toEqual([
      ...[allow, allow, allow],
    ]);
    expect([lease, notify].map((request) => ask(numberOf('fcntl'), 3, request))).toEqual([
      ...[notPermitted, notPermitted],
    ]);
  });

  test('huge pages are unavailable', () => {
    const [shared, anonymous, huge] = [0x1, 0x20, 0x4_0000];
    const flags = [shared + anonymous, anonymous + huge];
    expect(flags.map((each) => ask(numberOf('mmap'), 0, 4096, 3, each))).toEqual([allow, noMemory]);
    expect([1, 4, 5].map((each) => ask(numberOf('memfd_create'), 0, each))).toEqual([
      allow,
      noMemory,
      noMemory,
    ]);
    expect([0o1600, 0o5600].map((each) => ask(numberOf('shmget'), 0, 4096, each))).toEqual([allow, noMemory]);
  });

  test.each(
    modeCalls.flatMap(({ call, mode, flags }) =>
      call[column] === null ? [] : [[call[0], call[column], mode, flags] as const],
    ),
  )('%s can give a file any mode without setuid and setgid', (_, call, mode, flags) => {
    const args = (bits: number, creating: number): number[] =>
      Array.from({ length: 4 }, (__, index) => (index === mode ? bits : index === flags ? creating : 0));
    const [setuid, setgid, plain, create] = [0o4755, 0o2755, 0o1777, 0o100];
    expect([setuid, setgid, plain].map((bits) => ask(call, ...args(bits, create)))).toEqual([
      notPermitted,
      notPermitted,
      allow,
    ]);
    // Without a creating flag, the mode argument has no meaning.
    if (flags !== undefined) expect(ask(call, ...args(setuid, 0))).toBe(allow);
  });

  test('the execution domain stays the default one', () => {
    expect([0, 0xffff_ffff].map((persona) => ask(number('personality'), persona))).toEqual([allow, allow]);
    const noRandomness = 0x4_0000;
    expect(ask(number('personality'), noRandomness)).toBe(notPermitted);
  });

  test('sockets can use TCP, UDP and routing netlink and nothing else', () => {
    const socket = (family: number, type: number, protocol = 0): number =>
      ask(number('socket'), family, type, protocol);
    const [v4, v6, netlink, stream, datagram, raw] = [2, 10, 16, 1, 2, 3];
    const [tcp, udp, closeOnExec, nonBlocking] = [6, 17, 0x8_0000, 0x800];
    const allowed = [
      ...[socket(v4, stream), socket(v6, stream, tcp), socket(v4, datagram, udp), socket(v6, datagram)],
      ...[socket(v4, stream + closeOnExec), socket(v4, datagram + closeOnExec + nonBlocking)],
      ...[socket(netlink, raw), socket(netlink, datagram), socket(netlink, raw + closeOnExec)],
    ];
    expect(allowed).toEqual(allowed.map(() => allow));
    const [icmp, sctp, mptcp, generic, netfilter] = [1, 132, 262, 16, 12];
    const protocols = [
      ...[socket(v4, stream, mptcp), socket(v4, stream, sctp), socket(v6, datagram, icmp)],
      ...[socket(netlink, raw, generic), socket(netlink, raw, netfilter)],
    ];
    expect(protocols).toEqual(protocols.map(() => noSuchProtocol));
    const [sequenced, dccp] = [5, 6];
    const types = [socket(v4, raw), socket(v4, sequenced, sctp), socket(v6, dccp), socket(netlink, stream)];
    expect(types).toEqual(types.map(() => noSuchType));
    const [local, packet, alg, vsock, xdp] = [1, 17, 38, 40, 44];
    const families = [local, packet, alg, vsock, xdp].map((family) => socket(family, stream));
    expect(families).toEqual(families.map(() => noSuchFamily));
  });

  test('Unix sockets can only be streams, and only if enabled', () => {
    const own = seccompFilter(machine, { unixSockets: true });
    const socket = (type: number, protocol = 0): number =>
      answer(own, data(audit, number('socket'), 1, type, protocol));
    expect([socket(1), socket(1 + 0o2000000), socket(2), socket(5), socket(1, 6)]).toEqual([
      ...[allow, allow, noSuchType, noSuchType, noSuchProtocol],
    ]);
    const inet = (type: number): number => answer(own, data(audit, number('socket'), 2, type, 0));
    expect([inet(1), inet(3)]).toEqual([allow, noSuchType]);
  });

  test('socket pairs are local streams only', () => {
    const pair = (family: number, type: number): number => ask(number('socketpair'), family, type);
    const [local, v4, tipc, stream, datagram, sequenced, closeOnExec] = [1, 2, 30, 1, 2, 5, 0x8_0000];
    expect([pair(local, stream), pair(local, stream + closeOnExec)]).toEqual([allow, allow]);
    expect([pair(local, datagram), pair(local, sequenced)]).toEqual([noSuchType, noSuchType]);
    expect([pair(v4, stream), pair(tipc, stream)]).toEqual([noSuchFamily, noSuchFamily]);
  });

  test('setting the core limit succeeds without effect, and reading it is allowed', () => {
    const second = coreLimitFilter(machine);
    const setLimit = (...args: number[]): number =>
      answer(second, data(audit, { x64: 160, arm64: 164 }[machine], ...args));
    const limits = (...args: number[]): number =>
      answer(second, data(audit, { x64: 302, arm64: 261 }[machine], ...args));
    const [core, openFiles, address, upperAddress] = [4, 7, 0x7000, 2 ** 40];
    const nothing = error(0);
    expect([setLimit(core, address), setLimit(openFiles, address)]).toEqual([nothing, allow]);
    expect([limits(0, core, address, 0), limits(9, core, upperAddress, 0)]).toEqual([nothing, nothing]);
    expect([limits(0, core, 0, address), limits(0, openFiles, address, 0)]).toEqual([allow, allow]);
    expect(answer(second, data(audit, read))).toBe(allow);
  });
});
