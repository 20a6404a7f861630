import { realpathSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import { type Program, startProgram } from '../../spawn/start-program.ts';
import type { Sandbox, SandboxedCommand, SandboxedProgram, StopReason } from './sandbox.ts';

/**
 * The sandbox for machines without bubblewrap: Node's permission model. It runs only one program, a
 * script of Ambit's own in this Node, because the permission model does not claim to contain
 * hostile code. WebAssembly is the first barrier; this one denies files, programs, threads, addons
 * and WASI to code that escapes it. It does not deny the network.
 *
 * `program` is that script, its links resolved. `start` rejects with `SANDBOX_UNAVAILABLE` for any
 * other.
 */
export function nodePermissionSandbox(program: string): Sandbox {
  const node = realpathSync(process.execPath);
  return {
    name: 'node-permission',
    boundsRuns: false,
    async start(command) {
      const [file, ...args] = command.argv.map((argument) => onHost(command, argument));
      if (file !== node || args.find((argument) => !argument.startsWith('--')) !== program) {
        throw new SkillError(
          'SANDBOX_UNAVAILABLE',
          'without bubblewrap, only WASM skills can run; run "ambit doctor" to see what is missing',
        );
      }
      if (command.mounts.some(({ writable }) => writable) || (command.hidden ?? []).length > 0) {
        throw new SkillError(
          'SANDBOX_UNAVAILABLE',
          'without bubblewrap, WASM skills cannot write files, or read a folder that contains Ambit\'s own; run "ambit doctor" to see what is missing',
        );
      }
      if (command.proxy !== undefined || command.contents !== undefined) {
        throw new SkillError(
          'SANDBOX_UNAVAILABLE',
          'without bubblewrap, skills have no network access; run "ambit doctor" to see what is missing',
        );
      }
      const readable = command.mounts.filter(({ source }) => source !== node);
      const flags = ['--permission', ...readable.map(({ source }) => `--allow-fs-read=${source}`)];
      return nodeProgram(startProgram(node, [...flags, ...args], { env: command.env }));
    },
  };
}

/** Runs immediately: there is no sandbox to set up. */
function nodeProgram({ stdin, stdout, stderr, ended, hasExited, kill }: Program): SandboxedProgram {
  let stopped: StopReason | undefined;
  const stop = (reason: StopReason): void => {
    stopped ??= reason;
    kill();
  };
  return {
    stdin,
    stdout,
    stderr,
    stop,
    hasExited,
    fill: () => Promise.resolve(),
    release: () => Promise.resolve(),
    ended: ended.then((exit) => {
      if (stopped !== undefined) return stopped;
      return 'exitCode' in exit
        ? { status: 'exited', exitCode: exit.exitCode }
        : { status: 'setup-failed', cause: exit.notStarted };
    }),
    // There is no proxy.
    serve: () => undefined,
    restart: () => undefined,
    cpuMs: () => null,
    usage: () => ({ cpuMs: null, memoryPeakBytes: null }),
    takeWorkspace: () => Promise.resolve(undefined),
    leftState: () => Promise.resolve(undefined),
    async close() {
      stop({ status: 'canceled', reason: 'closed' });
      await ended;
    },
  };
}

/** The host path of a path inside: nothing is mounted here. */
function onHost({ mounts }: SandboxedCommand, argument: string): string {
  const mount = mounts.find(({ target }) => argument === target || argument.startsWith(`${target}/`));
  return mount === undefined ? argument : `${mount.source}${argument.slice(mount.target.length)}`;
}
