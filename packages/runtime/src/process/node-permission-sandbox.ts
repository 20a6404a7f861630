import { realpathSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import { runBounded } from './run-bounded.ts';
import type { Sandbox, SandboxedCommand } from './sandbox.ts';

/**
 * The sandbox for machines without bubblewrap: Node's permission model. It can hold one program only, a script of our
 * own for this very Node, because Node does not claim to hold a hostile one: WebAssembly is the wall then, and this
 * keeps what comes through it from files, programs, threads, addons and WASI. It does not keep it from the network.
 *
 * `program` is that script, its links resolved. `run` rejects with `SANDBOX_UNAVAILABLE` for any other.
 */
export function nodePermissionSandbox(program: string): Sandbox {
  const node = realpathSync(process.execPath);
  return {
    name: 'node-permission',
    boundsRuns: false,
    async run(command, bounds, signal) {
      const [file, ...args] = command.argv.map((argument) => onHost(command, argument));
      if (file !== node || args.find((argument) => !argument.startsWith('--')) !== program) {
        throw new SkillError(
          'SANDBOX_UNAVAILABLE',
          'without bubblewrap only WASM skills can run on this machine; "ambit doctor" says what is missing',
        );
      }
      const readable = command.mounts.filter(({ source }) => source !== node);
      const flags = ['--permission', ...readable.map(({ source }) => `--allow-fs-read=${source}`)];
      return runBounded(node, [...flags, ...args], { env: command.env, cwd: '/', bounds, signal });
    },
  };
}

/** A place inside, as it is called on the host: nothing is mounted here. */
function onHost({ mounts }: SandboxedCommand, argument: string): string {
  const mount = mounts.find(({ target }) => argument === target || argument.startsWith(`${target}/`));
  return mount === undefined ? argument : `${mount.source}${argument.slice(mount.target.length)}`;
}
