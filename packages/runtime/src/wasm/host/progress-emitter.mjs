import { progressLine } from './progress-line.mjs';

/** The burst size, and the rate in lines a second. */
const linesMax = 20;

/**
 * Writes a call's progress to its log. When reports come too often, only the latest is written, as
 * soon as the rate allows or the call ends. Unlike a program's own lines, these cannot fill the
 * log.
 *
 * @param {Pick<Console, 'info'>} log
 * @param {() => number} now in milliseconds
 */
export function progressEmitter(log, now = () => performance.now()) {
  let room = linesMax;
  let countedAt = now();
  /** @type {string | undefined} */
  let pending;
  return {
    /** @param {unknown} progress */
    emit(progress) {
      const line = progressLine(progress);
      const at = now();
      room = Math.min(linesMax, room + ((at - countedAt) * linesMax) / 1000);
      countedAt = at;
      pending = line;
      if (room < 1) return;
      room -= 1;
      pending = undefined;
      log.info(line);
    },
    flush() {
      if (pending !== undefined) log.info(pending);
      pending = undefined;
    },
  };
}
