import { channelDescriptor, startBarrierDescriptor } from '../../../spawn/start-program.ts';
import { ownFolder } from '../sandbox.ts';
import { coreLimitFilter } from '../seccomp/core-limit-filter.ts';
import type { Architecture, SystemCall } from '../seccomp/syscalls.ts';
import { dataAddress, executable } from './executable.ts';
import { u16, u32, u64 } from './little-endian.ts';
import { machineCode, type Step } from './machine-code.ts';
import { type Rlimits, rlimitNumbers } from './rlimits.ts';

/** The port of the proxy on a sandbox's own loopback. */
export const proxyPort = 3128;

/** The launcher's path inside. */
export const launcherPath = `${ownFolder}/launcher`;

/** The work of a launcher before it executes the program. */
export interface LauncherTask {
  /** Whether it passes the proxy's socket to the daemon. */
  proxy: boolean;
  rlimits: Rlimits;
}

/**
 * Above every descriptor that a program starts with, so the message can name it before the socket
 * exists.
 */
const listenerDescriptor = 63;

/** The number of connections that the kernel queues for the daemon. */
const backlog = 511;

const calls = {
  read: ['read', 0, 63],
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

/**
 * `AF_INET`, `SOCK_STREAM`, `O_CLOEXEC` and `SOCK_CLOEXEC`, `MSG_NOSIGNAL`, equal on both
 * architectures.
 */
const [internet, stream, closeOnExec, noSignal] = [2, 1, 0o2000000, 0x4000];

/**
 * `SIGXFSZ`, the size of a signal set in bytes, `PR_SET_SECCOMP`, `SECCOMP_MODE_FILTER`, equal on
 * both architectures.
 */
const [fileTooLarge, signalSetBytes, setSeccomp, filterMode] = [25, 8, 22, 2];

const standardError = 2;
const cannotStart = 126;

/**
 * The first program in every sandbox, as an ELF file. It waits for a byte at the start barrier, closes
 * every descriptor but the standard three, sets the limits of each process, which no later program can
 * raise, and executes the program named by its arguments.
 *
 * If the daemon is killed, the barrier closes without a byte, and nothing is executed. bubblewrap's own
 * barrier, `--block-fd`, would open.
 *
 * With a proxy, it first listens on the sandbox's loopback and passes that socket to the daemon
 * over its channel. It does so before it lowers the limits: the kernel refuses to pass a descriptor
 * when the user has more in flight than the sender may open, and several sandboxes can share one
 * user. A socket stays in the network namespace it was created in, so the kernel guarantees that
 * every connection comes from this sandbox. The message is the one Node uses to send a server to
 * its parent (`child_process`, a line of JSON), the only way to give Node a descriptor.
 *
 * If a step fails, the launcher writes an error to stderr and exits with 126.
 */
export function launcher(architecture: Architecture, { proxy, rlimits }: LauncherTask): Uint8Array {
  const data = dataSegment();
  const sendSocket = proxy ? socketSteps(data) : [];
  const limitSteps = [
    ...ignoreFileTooLarge(data),
    ...limits(rlimits, data),
    ...freezeCoreLimit(architecture, data),
  ];
  const errors = {
    failed: 'the sandbox could not be prepared, so the program was not started\n',
    notStarted: 'the program could not be started: this machine cannot execute the file\n',
  };
  const code = machineCode(architecture, {
    steps: [...sendSocket, awaitStart, { closeFrom: standardError + 1 }, ...limitSteps],
    last: [{ call: calls.execve, args: 'started with' }, ...failWith(errors.notStarted, data)],
    otherwise: failWith(errors.failed, data),
  });
  return executable(architecture, data.bytes, code);
}

const awaitStart: Step = {
  call: calls.read,
  args: [startBarrierDescriptor, 'scratch', 1],
  transfers: true,
};

/** The data that calls point to. `add` aligns each part to 8 bytes and returns its address. */
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

/** Makes the proxy's socket and sends it, with `sockaddr_in`, `iovec`, `cmsghdr` and `msghdr`. */
function socketSteps(data: DataSegment): Step[] {
  // The port is big-endian.
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

/**
 * Ignores `SIGXFSZ`: a write beyond the file size limit fails with `EFBIG` instead of killing the
 * program.
 */
function ignoreFileTooLarge(data: DataSegment): Step[] {
  const ignored = data.add([1, 0, 0, 0].flatMap(u64));
  return [{ call: calls.signalAction, args: [fileTooLarge, ignored, 0, signalSetBytes] }];
}

function limits(rlimits: Rlimits, data: DataSegment): Step[] {
  return Object.entries(rlimits).map(([name, value]) => ({
    call: calls.setrlimit,
    args: [rlimitNumbers[name as keyof Rlimits], data.add([...u64(value), ...u64(value)])],
  }));
}

/**
 * Adds a second filter. The sandbox's own is already in force and must let the launcher set the
 * limit.
 */
function freezeCoreLimit(architecture: Architecture, data: DataSegment): Step[] {
  const filter = coreLimitFilter(architecture);
  const instructions = data.add([...filter]);
  const program = data.add([...u64(filter.length / 8), ...u64(instructions)]);
  return [{ call: calls.processControl, args: [setSeccomp, filterMode, program] }];
}

function failWith(words: string, data: DataSegment): Step[] {
  const bytes = text(words);
  return [
    { call: calls.write, args: [standardError, data.add(bytes), bytes.length] },
    { call: calls.exitGroup, args: [cannotStart] },
  ];
}

function text(words: string): number[] {
  return [...new TextEncoder().encode(words)];
}
