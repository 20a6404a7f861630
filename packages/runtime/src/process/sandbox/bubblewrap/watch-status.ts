import type { Program } from '../../../spawn/start-program.ts';

/** The status that bubblewrap reports. */
export interface Status {
  /**
   * Resolves to the id of its first process inside; to `undefined` if it ended before it had one.
   */
  started: Promise<number | undefined>;
  /** The same, if already known. */
  child(): number | undefined;
  /** Whether it has reported how the program inside ended. If not, the program never ran. */
  reportedExit(): boolean;
}

/** A status is two short lines of JSON; more is ignored. */
const charactersMax = 64 * 1024;

/**
 * Reads the status that a bubblewrap writes to descriptor 3. `onExit` is called when the program
 * inside has ended.
 */
export function watchStatus(
  { control, ended }: Pick<Program, 'control' | 'ended'>,
  onExit: (child: number) => void = () => undefined,
): Status {
  let text = '';
  let child: number | undefined;
  const started = new Promise<number | undefined>((resolve) => {
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
  return { started, child: () => child, reportedExit: () => text.includes('"exit-code"') };
}
