import { write, writeSync } from 'node:fs';
import { type DestinationStream, pino } from 'pino';

/** For so long a line may wait for others to be written with it. */
const gatherMs = 20;
/** So much does not wait. */
const gatherCharacters = 16 * 1024;
/** Whoever reads so far behind misses what comes. */
const waitingCharactersMax = 16 * 1024 * 1024;
const warning = pino.levels.values['warn'] ?? 0;

/**
 * Where the daemon's log goes: to `descriptor`, several lines at a time, because a write for each request costs as much as
 * all of its checks. A warning or worse does not wait, nor does what came before it. When the process ends, by an
 * exception too, what waits is written; only a kill loses it, and what calls did is in the audit log. What cannot be
 * written, as to a terminal that is gone or a disk that is full, is lost: nobody is there to be told, and calls go on.
 */
export function logDestination(descriptor: number): DestinationStream {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  const taken = (): string => {
    clearTimeout(timer);
    timer = undefined;
    const text = lines;
    lines = '';
    return text;
  };
  const flush = (): void => {
    if (isWriting || lines === '') return;
    isWriting = true;
    put(Buffer.from(taken()));
  };
  const put = (bytes: Buffer): void => {
    write(descriptor, bytes, (error, written) => {
      const rest = bytes.subarray(written);
      if (error?.code === 'EAGAIN') setTimeout(() => put(bytes), gatherMs).unref();
      else if (error === null && rest.length > 0) put(rest);
      else {
        isWriting = false;
        flush();
      }
    });
  };
  process.once('exit', () => {
    try {
      writeSync(descriptor, taken());
    } catch {
      // Nobody reads it any more.
    }
  });
  return {
    // Has pino set the level of the line that comes.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      if (lines.length < waitingCharactersMax) lines += line;
      if (this.lastLevel >= warning || lines.length >= gatherCharacters) flush();
      else timer ??= setTimeout(flush, gatherMs).unref();
    },
  } as DestinationStream & { lastLevel: number };
}
