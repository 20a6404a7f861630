import { ownFolder } from '../own-folder.ts';
import { coreLimitFilter } from '../seccomp/core-limit-filter.ts';
import type { Architecture, SystemCall } from '../seccomp/syscalls.ts';
import { channelDescriptor } from '../start-program.ts';
import { dataAddress, executable } from './executable.ts';
import { u16, u32, u64 } from './little-endian.ts';
import { machineCode, type Step } from './machine-code.ts';
import { type Rlimits, rlimitNumbers } from './rlimits.ts';

/** The port of a sandbox's own loopback at which its proxy is. */
export const proxyPort = 3128;

/** Where the launcher is inside. */
export const launcherPath = `${ownFolder}/launcher`;

/** What a launcher does before it becomes the program. */
export interface LauncherTask {
  /** Whether it hands out the socket of a proxy. */
  proxy: boolean;
  rlimits: Rlimits;
}

/** Above any that a program starts with, so that it stands in the message before the socket is made. */
const listenerDescriptor = 63;

/** How many connections wait in the kernel until the daemon takes them. */
const backlog = 511;

const calls = {
  write: ['write', 1, 64],
  signalAction: ['rt_sigaction', 13, 134],
  socket: ['socket', 41, 198],
  sendmsg: ['sendmsg', 46, 211],
  bind: ['bind', 49, 200],
  listen: ['listen', 50, 201],
  execve: ['execve', 59, 221],
  processControl: ['prctl', 157, 167],
  setrlimit: ['setrlimit', 160, 164],
  exitGroup: ['exit_group', 231, 94],
  dup3: ['dup3', 292, 24],
} as const satisfies Record<string, SystemCall>;

/** `AF_INET`, `SOCK_STREAM`, `O_CLOEXEC` and `SOCK_CLOEXEC`, `MSG_NOSIGNAL`, alike on both machines. */
const [internet, stream, closeOnExec, noSignal] = [2, 1, 0o2000000, 0x4000];

/** `SIGXFSZ`, the bytes of a set of signals, `PR_SET_SECCOMP`, `SECCOMP_MODE_FILTER`, alike on both machines. */
const [fileTooLarge, signalSetBytes, setSeccomp, filterMode] = [25, 8, 22, 2];

const standardError = 2;
const cannotStart = 126;

/**
 * The program that is first in every sandbox, as an ELF file. It closes every descriptor but the standard three, whoever left
 * it open, puts the limits of each process into force, which nothing that it starts can raise, and becomes the program that
 * its arguments name.
 *
 * With a proxy it first listens on the sandbox's loopback and hands that socket to the daemon over its channel, while the
 * daemon's own limits still hold: the kernel refuses to pass a descriptor when the user has more on the way than the sender
 * may have open, and all sandboxes can be one user. A socket belongs to the network namespace that it was made in, wherever
 * its descriptor is used: whoever connects to it is in this sandbox, and the kernel is who says so. The message is the one
 * with which Node sends a server to its parent (`child_process`, a line of JSON), because only so can Node be given a
 * descriptor.
 *
 * When anything fails, the launcher writes so to stderr and exits with 126.
 */
export function launcher(architecture: Architecture, { proxy, rlimits }: LauncherTask): Uint8Array {
  const data = dataSegment();
  const handOver = proxy ? handingOver(data) : [];
  const limiting = [...ignoring(data), ...limits(rlimits, data), ...keepingCoreLimit(architecture, data)];
  const words = {
    failed: 'the sandbox could not be prepared, and the program was not started\n',
    unstarted: 'the program could not be started: it is not one that this machine can run\n',
  };
  const code = machineCode(architecture, {
    steps: [...handOver, { closeFrom: standardError + 1 }, ...limiting],
    last: [{ call: calls.execve, args: 'started with' }, ...complaint(words.unstarted, data)],
    otherwise: complaint(words.failed, data),
  });
  return executable(architecture, data.bytes, code);
}

/** What the calls point to: each part is at an address of its own, a multiple of 8. */
interface DataSegment {
  bytes: number[];
  add(part: readonly number[]): number;
}

function dataSegment(): DataSegment {
  const bytes: number[] = [];
  return {
    bytes,
    add(part) {
      const address = dataAddress + bytes.length;
      bytes.push(...part, ...Array<number>(-part.length & 7).fill(0));
      return address;
    },
  };
}

/** Makes the proxy's socket and sends it: `sockaddr_in`, `iovec`, `cmsghdr` with a descriptor, and `msghdr`. */
function handingOver(data: DataSegment): Step[] {
  // The port has its highest byte first.
  const address = [...u16(internet), ...u16(proxyPort).reverse(), ...[127, 0, 0, 1], ...u64(0)];
  const addressAt = data.add(address);
  const line = text('{"cmd":"NODE_HANDLE","type":"net.Server","msg":"proxy"}\n');
  const part = data.add([...u64(data.add(line)), ...u64(line.length)]);
  const [socketLevel, rights] = [1, 1];
  const control = [...u64(20), ...[socketLevel, rights, listenerDescriptor, 0].flatMap(u32)];
  const [noName, flags] = [[...u64(0), ...u64(0)], u64(0)];
  const message = data.add([
    ...noName,
    ...[...u64(part), ...u64(1)],
    ...[...u64(data.add(control)), ...u64(control.length)],
    ...flags,
  ]);
  return [
    { call: calls.socket, args: [internet, stream + closeOnExec, 0] },
    { call: calls.dup3, args: ['result', listenerDescriptor, closeOnExec] },
    { call: calls.bind, args: [listenerDescriptor, addressAt, address.length] },
    { call: calls.listen, args: [listenerDescriptor, backlog] },
    { call: calls.sendmsg, args: [channelDescriptor, message, noSignal] },
  ];
}

/** A file that grows too large is then an error of the write (`EFBIG`), which has words, and not the program's end. */
function ignoring(data: DataSegment): Step[] {
  const ignored = data.add([1, 0, 0, 0].flatMap(u64));
  return [{ call: calls.signalAction, args: [fileTooLarge, ignored, 0, signalSetBytes] }];
}

function limits(rlimits: Rlimits, data: DataSegment): Step[] {
  return Object.entries(rlimits).map(([name, value]) => ({
    call: calls.setrlimit,
    args: [rlimitNumbers[name as keyof Rlimits], data.add([...u64(value), ...u64(value)])],
  }));
}

/** A filter beside the sandbox's own, because that one is in force before the limit is set. */
function keepingCoreLimit(architecture: Architecture, data: DataSegment): Step[] {
  const filter = coreLimitFilter(architecture);
  const instructions = data.add([...filter]);
  const program = data.add([...u64(filter.length / 8), ...u64(instructions)]);
  return [{ call: calls.processControl, args: [setSeccomp, filterMode, program] }];
}

function complaint(words: string, data: DataSegment): Step[] {
  const bytes = text(words);
  return [
    { call: calls.write, args: [standardError, data.add(bytes), bytes.length] },
    { call: calls.exitGroup, args: [cannotStart] },
  ];
}

function text(words: string): number[] {
  return [...new TextEncoder().encode(words)];
}
