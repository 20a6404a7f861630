import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mount, RunLimits, SandboxedCommand } from '../../process/sandbox/sandbox.ts';
import { quickjsFolder } from '../quickjs-folder.ts';

const hostFolder = realpathSync(fileURLToPath(new URL('../host', import.meta.url)));
const meterFolder = realpathSync(fileURLToPath(new URL('../meter', import.meta.url)));
const extismFolder = dirname(realpathSync(fileURLToPath(import.meta.resolve('@extism/extism'))));
/** The program that a host process runs, on this machine; what a sandbox for it alone needs to know. */
export const wasmHostProgram = `${hostFolder}/main.mjs`;

/** Node itself and the folders that it reads, each at a fixed place inside. */
const mounts: readonly Mount[] = [
  { source: realpathSync(process.execPath), target: '/ambit/node' },
  { source: hostFolder, target: '/ambit/host' },
  { source: meterFolder, target: '/ambit/meter' },
  { source: extismFolder, target: '/ambit/extism' },
  { source: quickjsFolder, target: '/ambit/quickjs' },
];

/** What all calls of one host have in common: hosts of different kinds never stand in for one another. */
export interface HostKind {
  /** Skills of different trust never share a process, not even one after the other. */
  tier: string;
  /** The most that a call of it may have. */
  memoryBytes: number;
  /** Host paths that are granted. */
  mounts: readonly Mount[];
  /** Folders beneath those that are empty inside. */
  hidden: readonly string[];
}

const mebibyte = 1024 * 1024;

/** How a host process is started. */
export function hostCommand(kind: HostKind): SandboxedCommand {
  return {
    argv: [
      '/ambit/node',
      '--no-warnings',
      '--no-addons',
      '--expose-gc',
      // One call at a time is one thread's work; the processors are for other hosts.
      '--single-threaded',
      `--max-old-space-size=${Math.floor(heapBytes(kind) / mebibyte)}`,
      // What a call leaves is dead: the longer the engine waits, the less it costs to find that out.
      '--initial-old-space-size=200',
      '--min-semi-space-size=32',
      '/ambit/host/main.mjs',
      '/ambit/extism/mod.js',
      '/ambit/quickjs',
      String(kind.memoryBytes),
    ],
    env: {},
    cwd: '/',
    mounts: [...mounts, ...kind.mounts],
    hidden: kind.hidden,
    ownsFiles: kind.mounts.length > 0,
  };
}

/** For compiled modules, inputs and outputs, which all belong to the calls. */
function heapBytes({ memoryBytes }: HostKind): number {
  return Math.max(64 * mebibyte, memoryBytes);
}

/**
 * What the kernel holds a host process to: the second wall around memory, after the module's own bounds. Node takes some
 * 64 MiB for itself, and what calls leave is given back only now and then.
 */
export function hostLimits(kind: HostKind): RunLimits {
  const memoryBytes = 320 * mebibyte + heapBytes(kind) + kind.memoryBytes;
  return {
    memoryBytes,
    // V8 maps more than it uses.
    dataBytes: memoryBytes + 1024 * mebibyte,
    // Calls are held to theirs one by one.
    cpuMs: Number.POSITIVE_INFINITY,
    processes: 32,
    // The second wall: each call is held to its own fileBytes.
    fileBytes: 1024 * mebibyte,
  };
}
