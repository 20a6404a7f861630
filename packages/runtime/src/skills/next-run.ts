/** Runs that many callers share. */
export interface SharedRuns<Result> {
  /** The result of a run that begins after this call. */
  next(): Promise<Result>;
  /** Resolves when nothing of what had been asked for runs any more. */
  idle(): Promise<void>;
}

/**
 * Has callers share the runs of something that looks at the state of the world: whoever calls during a run waits for the
 * one that begins after it, together with all others who do, since the run may have passed what has changed since.
 *
 * `company` is awaited before a run that follows on a shared one, with how many milliseconds that took: those who were
 * answered together ask again together, and the first of them had better wait for the others. Absent: nobody waits.
 */
export function nextRun<Result>(
  run: () => Promise<Result>,
  company?: (tookMs: number) => Promise<void>,
): SharedRuns<Result> {
  let running: Promise<void> | undefined;
  let waiting: { callers: number; result: Promise<Result> } | undefined;
  /** How long the last run took; `undefined` when one caller had it for itself. */
  let sharedMs: number | undefined;

  const begin = async (isShared: boolean): Promise<Result> => {
    const ended = Promise.withResolvers<void>();
    running = ended.promise;
    const startedAt = performance.now();
    try {
      return await run();
    } finally {
      sharedMs = isShared ? performance.now() - startedAt : undefined;
      running = undefined;
      ended.resolve();
    }
  };
  const later = async (): Promise<Result> => {
    await running;
    if (sharedMs !== undefined) await company?.(sharedMs);
    const callers = waiting?.callers ?? 0;
    waiting = undefined;
    return begin(callers > 1);
  };

  return {
    next() {
      if (waiting !== undefined) {
        waiting.callers += 1;
        return waiting.result;
      }
      if (running === undefined && (company === undefined || sharedMs === undefined)) return begin(false);
      waiting = { callers: 1, result: later() };
      return waiting.result;
    },
    async idle() {
      await waiting?.result.catch(() => undefined);
      await running;
    },
  };
}
