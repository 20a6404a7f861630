/** Runs that many callers share. */
export interface SharedRuns<Result> {
  /** The result of a run that starts after this call. */
  next(): Promise<Result>;
  /** Resolves when all requested runs have ended. */
  idle(): Promise<void>;
}

/**
 * Lets callers share runs of a function that inspects changing state. A caller during a run waits
 * for the next one, together with all other callers during that run, because the current run may
 * already have passed what changed.
 *
 * `gather` is awaited before a run that follows a shared one, with the duration of that run in
 * milliseconds. Callers that were answered together usually ask again together, so the first one
 * waits for the others. Absent: no wait.
 */
export function nextRun<Result>(
  run: () => Promise<Result>,
  gather?: (tookMs: number) => Promise<void>,
): SharedRuns<Result> {
  let running: Promise<void> | undefined;
  let waiting: { callers: number; result: Promise<Result> } | undefined;
  /** Duration of the last run; `undefined` if it had a single caller. */
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
    if (sharedMs !== undefined) await gather?.(sharedMs);
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
      if (running === undefined && (gather === undefined || sharedMs === undefined)) return begin(false);
      waiting = { callers: 1, result: later() };
      return waiting.result;
    },
    async idle() {
      await waiting?.result.catch(() => undefined);
      await running;
    },
  };
}
