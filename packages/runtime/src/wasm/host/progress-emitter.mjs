import { progressLine } from './progress-line.mjs';

/** As many at once, and then as many a second. */
const linesMax = 20;

/**
 * Lets a call say how far it is, in its log; of what comes too often the latest is kept, and told when there is room or the call
 * ends. Unlike a program's own lines these cannot fill the log.
 *
 * @param {Pick<Console, 'info'>} log
 * @param {() => number} now in milliseconds
 */
export function progressEmitter(log, now = () => performance.now()) {
  let room = linesMax;
  let countedAt = now();
  /** @type {string | undefined} */
  let kept;
  return {
    /** @param {unknown} told */
    tell(told) {
      const line = progressLine(told);
      const at = now();
      room = Math.min(linesMax, room + ((at - countedAt) * linesMax) / 1000);
      countedAt = at;
      kept = line;
      if (room < 1) return;
      room -= 1;
      kept = undefined;
      log.info(line);
    },
    flush() {
      if (kept !== undefined) log.info(kept);
      kept = undefined;
    },
  };
}
