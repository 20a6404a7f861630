import { realpathSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Sandbox, SandboxedCommand, SandboxedProgram, StopReason } from './sandbox.ts';
import { type Program, startProgram } from './start-program.ts';

/**
 * The sandbox for machines without bubblewrap: Node's permission model. It can hold one program only, a script of our
 * own for this very Node, because Node does not claim to hold a hostile one: WebAssembly is the wall then, and this
 * keeps what comes through it from files, programs, threads, addons and WASI. It does not keep it from the network.
 *
 * `program` is that script, its links resolved. `start` rejects with `SANDBOX_UNAVAILABLE` for any other.
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
          'without bubblewrap only WASM skills can run on this machine; "ambit doctor" says what is missing',
        );
      }
      if (command.mounts.some(({ writable }) => writable) || (command.hidden ?? []).length > 0) {
        throw new SkillError(
          'SANDBOX_UNAVAILABLE',
          'without bubblewrap WASM skills can be granted files to read and none to write, and no folder around what is Ambit\'s own; "ambit doctor" says what is missing',
        );
      }
      if (command.proxy !== undefined || command.contents !== undefined) {
        throw new SkillError(
          'SANDBOX_UNAVAILABLE',
          'without bubblewrap nothing can be reached from inside; "ambit doctor" says what is missing',
        );
      }
      const readable = command.mounts.filter(({ source }) => source !== node);
      const flags = ['--permission', ...readable.map(({ source }) => `--allow-fs-read=${source}`)];
      return nodeProgram(startProgram(node, [...flags, ...args], { env: command.env }));
    },
  };
}

/** It runs from the start on: there are no walls to wait for. */
function nodeProgram({ stdin, stdout, stderr, ended, hasExited, kill }: Program): SandboxedProgram {
  let stopped: StopReason | undefined;
  const stop = (reason: StopReason): void => {
    stopped ??= reason;
    kill();
  };
  return {
    ...{ stdin, stdout, stderr, stop, hasExited },
    fill: () => Promise.resolve(),
    release: () => Promise.resolve(),
    ended: ended.then((exit) => {
      if (stopped !== undefined) return stopped;
      return 'exitCode' in exit
        ? { status: 'exited', exitCode: exit.exitCode }
        : { status: 'not-raised', cause: exit.notStarted };
    }),
    // There is no proxy.
    serve: () => undefined,
    restart: () => undefined,
    cpuMs: () => null,
    usage: () => ({ cpuMs: null, memoryPeakBytes: null }),
    changes: () => Promise.resolve(undefined),
    leftState: () => Promise.resolve(undefined),
    async close() {
      stop({ status: 'canceled', reason: 'closed' });
      await ended;
    },
  };
}

/** A place inside, as it is called on the host: nothing is mounted here. */
function onHost({ mounts }: SandboxedCommand, argument: string): string {
  const mount = mounts.find(({ target }) => argument === target || argument.startsWith(`${target}/`));
  return mount === undefined ? argument : `${mount.source}${argument.slice(mount.target.length)}`;
}
