/** The time of a run that counts as expected, before the run says how fast this machine is. */
const trustedMs = 30_000;

/**
 * Estimates the rest of a run from how long each of its files should take, and from how long the finished ones took.
 * @param {ReadonlyMap<string, number>} expected the milliseconds of each file
 * @param {number} workers files that run at the same time
 */
export function timeLeft(expected, workers) {
  const left = new Map(expected);
  let [expectedMs, tookMs] = [trustedMs, trustedMs];
  return {
    /**
     * @param {string} file
     * @param {number} ms
     */
    finished(file, ms) {
      expectedMs += left.get(file) ?? 0;
      tookMs += ms;
      left.delete(file);
    },
    /** Milliseconds. The longest file counts even where the others take less. */
    left() {
      const rest = [...left.values()];
      const total = rest.reduce((sum, ms) => sum + ms, 0);
      return Math.max(total / workers, ...rest, 0) * (tookMs / expectedMs);
    },
  };
}
