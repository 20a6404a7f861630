import { ownFolder } from '../own-folder.ts';
import type { Architecture, SystemCall } from '../seccomp/syscalls.ts';
import { dataAddress, executable } from './executable.ts';
import { u16, u32, u64 } from './little-endian.ts';
import { machineCode, type Step } from './machine-code.ts';

/** The port of a sandbox's own loopback at which its proxy is. */
export const proxyPort = 3128;

/** Where the launcher finds the channel over which it hands its socket out (`Program.listener`). */
const channelDescriptor = 5;

/** Where the launcher is inside. */
export const launcherPath = `${ownFolder}/launcher`;

/** Above any that a program starts with, so that it stands in the message before the socket is made. */
const listenerDescriptor = 63;

/** How many connections wait in the kernel until the daemon takes them. */
const backlog = 511;

const calls = {
  write: ['write', 1, 64],
  socket: ['socket', 41, 198],
  sendmsg: ['sendmsg', 46, 211],
  bind: ['bind', 49, 200],
  listen: ['listen', 50, 201],
  execve: ['execve', 59, 221],
  exitGroup: ['exit_group', 231, 94],
  dup3: ['dup3', 292, 24],
} as const satisfies Record<string, SystemCall>;

/** `AF_INET`, `SOCK_STREAM`, `O_CLOEXEC` and `SOCK_CLOEXEC`, `MSG_NOSIGNAL`, alike on both machines. */
const [internet, stream, closeOnExec, noSignal] = [2, 1, 0o2000000, 0x4000];

const standardError = 2;
const cannotStart = 126;

/**
 * The program that is first in every sandbox, as an ELF file. It closes every descriptor but the standard three, whoever
 * left it open, and becomes the program that its arguments name. When that fails, it says so on stderr and exits with 126.
 */
export function launcher(architecture: Architecture): Uint8Array {
  return program(architecture, [], [], 'the program could not be started\n');
}

/**
 * The launcher of a sandbox with a proxy. It first listens on the sandbox's loopback and hands that socket to the daemon
 * over its channel. A socket belongs to the network namespace that it was made in, wherever its descriptor is used: whoever
 * connects to it is in this sandbox, and the kernel is who says so.
 *
 * The message is the one with which Node sends a server to its parent (`child_process`, a line of JSON), because only
 * so can Node be given a descriptor.
 */
export function proxyLauncher(architecture: Architecture): Uint8Array {
  const { bytes, at } = data();
  const handOver: Step[] = [
    { call: calls.socket, args: [internet, stream + closeOnExec, 0] },
    { call: calls.dup3, args: ['result', listenerDescriptor, closeOnExec] },
    { call: calls.bind, args: [listenerDescriptor, at.address, addressBytes] },
    { call: calls.listen, args: [listenerDescriptor, backlog] },
    { call: calls.sendmsg, args: [channelDescriptor, at.message, noSignal] },
  ];
  const failure = 'the socket for the proxy could not be handed over, or the program not started\n';
  return program(architecture, bytes, handOver, failure);
}

function program(
  architecture: Architecture,
  bytes: readonly number[],
  first: readonly Step[],
  failure: string,
): Uint8Array {
  const words = text(failure);
  const steps: Step[] = [
    ...first,
    { closeFrom: standardError + 1 },
    { call: calls.execve, args: 'started with' },
  ];
  const otherwise: Step[] = [
    { call: calls.write, args: [standardError, dataAddress + bytes.length, words.length] },
    { call: calls.exitGroup, args: [cannotStart] },
  ];
  return executable(architecture, [...bytes, ...aligned(words)], machineCode(architecture, steps, otherwise));
}

const addressBytes = 16;
const controlBytes = 24;

/** What the calls point to: `sockaddr_in`, `cmsghdr` with a descriptor, `iovec` and `msghdr`, and where each lies. */
function data(): { bytes: number[]; at: { address: number; message: number } } {
  const line = text('{"cmd":"NODE_HANDLE","type":"net.Server","msg":"proxy"}\n');
  const [socketLevel, rights, controlUsed] = [1, 1, controlBytes - 4];
  const address = [
    ...u16(internet),
    // The port has its highest byte first.
    ...u16(proxyPort).reverse(),
    ...[127, 0, 0, 1],
    ...u64(0),
  ];
  const control = [...u64(controlUsed), ...[socketLevel, rights, listenerDescriptor, 0].flatMap(u32)];
  const part = [...u64(dataAddress + addressBytes + controlBytes + 16), ...u64(line.length)];
  const before = [...address, ...control, ...part, ...aligned(line)];
  const [noName, flags] = [u64(0), u64(0)];
  const message = [
    ...[...noName, ...u64(0)],
    ...[...u64(dataAddress + addressBytes + controlBytes), ...u64(1)],
    ...[...u64(dataAddress + addressBytes), ...u64(controlBytes)],
    ...flags,
  ];
  return {
    bytes: [...before, ...message],
    at: { address: dataAddress, message: dataAddress + before.length },
  };
}

function text(words: string): number[] {
  return [...new TextEncoder().encode(words)];
}

/** Filled up to the next multiple of 8. */
function aligned(bytes: readonly number[]): number[] {
  return [...bytes, ...Array<number>(-bytes.length & 7).fill(0)];
}
