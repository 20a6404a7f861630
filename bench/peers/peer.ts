import { runText } from '../run-program.ts';

/** A program or library that runs scripts. */
export interface Peer {
  name: string;
  /** One call by a program that is started for it and then ended. */
  cold(): Promise<void>;
  /** Starts what serves calls. */
  start(): Promise<RunningPeer>;
}

export interface RunningPeer {
  /** Fails unless the script returns the right output. */
  call(): Promise<void>;
  close(): Promise<unknown>;
}

/** A peer, or why it cannot run on this machine. */
export type OptionalPeer = Peer | { name: string; missing: string };

/** The input of every call, and the output of both scripts. */
export const input = { n: 21 };
export const inputText = JSON.stringify(input);

/** Returns its input. */
export const shellScript = '#!/bin/sh\nread -r line\necho "$line"\n';
/** Returns its input. */
export const moduleScript = 'export default (input) => ({ n: JSON.parse(JSON.stringify(input)).n });\n';

export function requireOutput(peer: string, text: string): void {
  if (text.trim() !== inputText) throw new Error(`${peer} returned ${JSON.stringify(text)}`);
}

/** A peer that starts a process for each call. `env` replaces the environment of this process. */
export function processPeer(
  name: string,
  file: string,
  args: readonly string[],
  env?: Record<string, string>,
): Peer {
  const call = async (): Promise<void> => requireOutput(name, await runText(file, args, inputText, { env }));
  return { name, cold: call, start: async () => ({ call, close: async () => undefined }) };
}

/** A peer whose cold call starts it, calls it and ends it. */
export function served(name: string, start: Peer['start']): Peer {
  return {
    name,
    start,
    async cold() {
      const running = await start();
      try {
        await running.call();
      } finally {
        await running.close();
      }
    },
  };
}
