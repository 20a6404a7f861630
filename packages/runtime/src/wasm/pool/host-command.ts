import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mount, RunLimits, SandboxedCommand } from '../../process/sandbox/sandbox.ts';

const hostFolder = realpathSync(fileURLToPath(new URL('../host', import.meta.url)));
const meterFolder = realpathSync(fileURLToPath(new URL('../meter', import.meta.url)));
const extismFolder = dirname(realpathSync(fileURLToPath(import.meta.resolve('@extism/extism'))));

/**
 * The folder of QuickJS's loader on this machine, which host processes mount to run scripts.
 *
 * @internal Exported for tests that call scripts without a host process.
 */
export const quickjsFolder = dirname(
  realpathSync(fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/emscripten-module'))),
);

/**
 * The path of the program that a host process runs, for a sandbox that permits only this program.
 */
export const wasmHostProgram = `${hostFolder}/main.mjs`;

/** Node and the folders that it reads, each at a fixed path inside. */
const mounts: readonly Mount[] = [
  { source: realpathSync(process.execPath), target: '/ambit/node' },
  { source: hostFolder, target: '/ambit/host' },
  { source: meterFolder, target: '/ambit/meter' },
  { source: extismFolder, target: '/ambit/extism' },
  { source: quickjsFolder, target: '/ambit/quickjs' },
];

/**
 * The properties that all calls of one host share: hosts of different kinds never replace each
 * other.
 */
export interface HostKind {
  /** Skills of different trust never share a process, not even one after another. */
  tier: string;
  /** The maximum memory of its calls. */
  memoryBytes: number;
  /** The granted host paths. */
  mounts: readonly Mount[];
  /** Folders in `mounts` that are empty inside. */
  hidden: readonly string[];
  /** The folder of `@ambit/python`; `undefined` if it is not installed. */
  python: string | undefined;
}

const mebibyte = 1024 * 1024;

/** The memory that a host reserves besides the limit of its call: Node, and the compiled modules. */
export const hostOwnBytes = 128 * mebibyte;

/** The command that starts a host process. */
export function hostCommand(kind: HostKind): SandboxedCommand {
  return {
    argv: [
      '/ambit/node',
      '--no-warnings',
      '--no-addons',
      '--expose-gc',
      // A host runs one call at a time, on one thread; other processors are for other hosts.
      '--single-threaded',
      // Python's recursion limit needs it, as kilobytes; the default is about 1000.
      '--stack-size=3900',
      `--max-old-space-size=${Math.floor(heapBytes(kind) / mebibyte)}`,
      // A finished call leaves only garbage: the later it is collected, the less it costs.
      '--initial-old-space-size=200',
      '--min-semi-space-size=32',
      '/ambit/host/main.mjs',
      '/ambit/extism/mod.js',
      '/ambit/quickjs',
      '/ambit/python',
      String(kind.memoryBytes),
    ],
    env: {},
    cwd: '/',
    mounts: [
      ...mounts,
      // It may have been removed since: other WebAssembly does not need it.
      ...(kind.python !== undefined && existsSync(kind.python)
        ? [{ source: kind.python, target: '/ambit/python' }]
        : []),
      ...kind.mounts,
    ],
    hidden: kind.hidden,
    ownsFiles: kind.mounts.length > 0,
  };
}

/** For compiled modules, inputs and outputs, which all belong to calls. */
function heapBytes({ memoryBytes }: HostKind): number {
  return Math.max(64 * mebibyte, memoryBytes);
}

/**
 * The kernel's limits for a host process: the second barrier around memory, after the module's own
 * limits. Node uses some 64 MiB, and memory of finished calls is freed only occasionally.
 */
export function hostLimits(kind: HostKind): RunLimits {
  const memoryBytes = 320 * mebibyte + heapBytes(kind) + kind.memoryBytes;
  return {
    memoryBytes,
    // V8 maps more than it uses.
    dataBytes: memoryBytes + 1024 * mebibyte,
    // Each call's CPU time is limited separately.
    cpuMs: Number.POSITIVE_INFINITY,
    processes: 32,
    // The second barrier: each call has its own fileBytes.
    fileBytes: 1024 * mebibyte,
  };
}
