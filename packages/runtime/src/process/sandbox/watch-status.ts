import type { Program } from './start-program.ts';

/** What bubblewrap says of itself. */
export interface Status {
  /** Resolves to its first process inside; to nothing when it ended before it had one. */
  begun: Promise<number | undefined>;
  /** The same, as far as it is known. */
  child(): number | undefined;
  /** Whether it has said how the program inside ended: without that it never got so far. */
  toldExit(): boolean;
}

/** A status is two short lines of JSON; what is longer is not one. */
const charactersMax = 64 * 1024;

/** Reads the status that a bubblewrap writes to descriptor 3; `onExit` is told when the program inside has ended. */
export function watchStatus(
  { control, ended }: Pick<Program, 'control' | 'ended'>,
  onExit: (child: number) => void = () => undefined,
): Status {
  let text = '';
  let child: number | undefined;
  const begun = new Promise<number | undefined>((resolve) => {
    control.on('data', (chunk: Uint8Array) => {
      if (text.length < charactersMax) text += new TextDecoder().decode(chunk);
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
      if (pid === undefined) return;
      child = Number(pid);
      resolve(child);
      if (text.includes('"exit-code"')) onExit(child);
    });
    control.on('error', () => undefined);
    control.resume();
    void ended.then(() => resolve(child));
  });
  return { begun, child: () => child, toldExit: () => text.includes('"exit-code"') };
}
