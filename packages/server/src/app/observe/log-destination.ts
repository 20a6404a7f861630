import { write, writeSync } from 'node:fs';
import { type DestinationStream, pino } from 'pino';

/** The time that a line is buffered. */
const bufferMs = 20;
/** The buffered length that is written immediately. */
const bufferCharacters = 16 * 1024;
/** If the reader is this far behind, further lines are dropped. */
const bufferCharactersMax = 16 * 1024 * 1024;
const warning = pino.levels.values['warn'] ?? 0;

/**
 * Writes the daemon's log to `descriptor`, several lines at a time: a write per request would cost as much as all of its
 * checks. Warnings and errors are written immediately, with everything before them. The rest is written when the process
 * exits, also after an exception; only a kill loses it. Lines that cannot be written, because the terminal is closed or
 * the disk is full, are dropped, and calls continue.
 */
export function logDestination(descriptor: number): DestinationStream {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  const takeLines = (): string => {
    clearTimeout(timer);
    timer = undefined;
    const text = lines;
    lines = '';
    return text;
  };
  const flush = (): void => {
    if (isWriting || lines === '') return;
    isWriting = true;
    put(Buffer.from(takeLines()));
  };
  const put = (bytes: Buffer): void => {
    write(descriptor, bytes, (error, written) => {
      const rest = bytes.subarray(written);
      if (error?.code === 'EAGAIN') setTimeout(() => put(bytes), bufferMs).unref();
      else if (error === null && rest.length > 0) put(rest);
      else {
        isWriting = false;
        flush();
      }
    });
  };
  process.once('exit', () => {
    try {
      writeSync(descriptor, takeLines());
    } catch {
      // The reader is gone.
    }
  });
  return {
    // Makes pino set `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      if (lines.length < bufferCharactersMax) lines += line;
      if (this.lastLevel >= warning || lines.length >= bufferCharacters) flush();
      else timer ??= setTimeout(flush, bufferMs).unref();
    },
  } as DestinationStream & { lastLevel: number };
}
