import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Limits } from '@ambit/core';
import type { Mount, RunCeilings, SandboxedCommand } from '../process/sandbox/sandbox.ts';

/** The program that a host process runs, on this machine; what a sandbox for it alone needs to know. */
export const wasmHostProgram = realpathSync(fileURLToPath(new URL('./host/main.mjs', import.meta.url)));

const extismFolder = dirname(realpathSync(fileURLToPath(import.meta.resolve('@extism/extism'))));

/** Node itself and the two folders that it reads, each at a fixed place inside. */
const mounts: readonly Mount[] = [
  { source: realpathSync(process.execPath), target: '/ambit/node' },
  { source: dirname(wasmHostProgram), target: '/ambit/host' },
  { source: extismFolder, target: '/ambit/extism' },
];

const mebibyte = 1024 * 1024;
/** Node alone takes some 5 MiB. */
const heapMebibytesLeast = 32;

/** How a host process is started. */
export function hostCommand({ memoryBytes }: Pick<Limits, 'memoryBytes'>): SandboxedCommand {
  return {
    argv: [
      '/ambit/node',
      '--no-warnings',
      '--no-addons',
      `--max-old-space-size=${Math.max(heapMebibytesLeast, Math.floor(memoryBytes / mebibyte))}`,
      '/ambit/host/main.mjs',
      '/ambit/extism/mod.js',
    ],
    env: {},
    cwd: '/',
    mounts,
  };
}

/** What Node takes for itself: most of its memory is its own program, and its threads are a dozen. */
const host = { memoryBytes: 64 * mebibyte, cpuMs: 500, processes: 32 };

/**
 * What the kernel holds a host process to: the limits of the call and what the host itself needs, so that the module has
 * what it was granted and all its kinds of memory together have not much more. `requestBytes` is what it is sent.
 */
export function hostCeilings({ memoryBytes, cpuMs }: Limits, requestBytes: number): RunCeilings {
  return {
    // The request is there twice while it is read, and the engine makes about as much code of a module as it has bytes.
    memoryBytes: host.memoryBytes + memoryBytes + 3 * requestBytes,
    cpuMs: host.cpuMs + cpuMs,
    processes: host.processes,
  };
}
