import { dirname } from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import type { Sandbox } from '../../../packages/runtime/src/index.ts';
import type { CallHost } from './protocol.ts';

type Command = Parameters<Sandbox['start']>[0];

/** The same sandbox, in which host processes are not as they should be; `started` hears of each. */
export function hostsOf(sandbox: Sandbox, host: CallHost | undefined, started: () => void): Sandbox {
  return {
    ...sandbox,
    async start(command, limits) {
      started();
      const program = await sandbox.start(
        host !== undefined && 'program' in host ? replaced(command, host.program) : command,
        limits,
      );
      if (host === undefined || 'program' in host) return program;
      const stdin = new PassThrough();
      stdin.pipe(widened(host.told)).pipe(program.stdin);
      return { ...program, stdin };
    },
  };
}

/** The same walls and mounts, and another program of Node's in the place of the host's. */
function replaced({ argv, mounts, ...command }: Command, program: string): Command {
  const folder = '/ambit/replaced';
  return {
    ...command,
    argv: [argv[0], `${folder}${program.slice(dirname(program).length)}`],
    mounts: [...mounts, { source: dirname(program), target: folder }],
  };
}

/** Frames as they come, but for the world of a call: more paths stand in it than were granted. */
function widened(told: readonly string[]): Transform {
  let held = Buffer.alloc(0);
  return new Transform({
    transform(piece, _encoding, done) {
      held = Buffer.concat([held, piece]);
      for (;;) {
        if (held.length < 4) break;
        const headerEnd = 4 + held.readUInt32BE(0);
        if (held.length < headerEnd) break;
        const header = JSON.parse(held.subarray(4, headerEnd).toString());
        const end = headerEnd + header.bytes;
        if (held.length < end) break;
        if (header.type === 'call') header.world.files = { read: told, write: told };
        const text = Buffer.from(JSON.stringify(header));
        const length = Buffer.alloc(4);
        length.writeUInt32BE(text.length);
        this.push(Buffer.concat([length, text, held.subarray(headerEnd, end)]));
        held = held.subarray(end);
      }
      done();
    },
  });
}
