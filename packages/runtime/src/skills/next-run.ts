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
 * `gather` is awaited before a run that follows a shared one. It gets the duration of the shared run in
 * milliseconds, and a promise that resolves once as many callers are waiting as shared it. Callers that
 * were answered together usually ask again together, so the first waits for the others. Absent: no wait.
 */
export function nextRun<Result>(
  run: () => Promise<Result>,
  gather?: (tookMs: number, everyone: Promise<void>) => Promise<void>,
): SharedRuns<Result> {
  let running: Promise<void> | undefined;
  let waiting: { callers: number; result: Promise<Result> } | undefined;
  /** The last run; `undefined` if it had a single caller. */
  let shared: { callers: number; tookMs: number } | undefined;
  let everyone = Promise.withResolvers<void>();

  const begin = async (callers: number): Promise<Result> => {
    const ended = Promise.withResolvers<void>();
    running = ended.promise;
    const startedAt = performance.now();
    try {
      return await run();
    } finally {
      shared = callers > 1 ? { callers, tookMs: performance.now() - startedAt } : undefined;
      running = undefined;
      ended.resolve();
    }
  };
  const later = async (): Promise<Result> => {
    await running;
    if (shared !== undefined && gather !== undefined) {
      everyone = Promise.withResolvers();
      checkEveryone();
      await gather(shared.tookMs, everyone.promise);
    }
    const callers = waiting?.callers ?? 0;
    waiting = undefined;
    return begin(callers);
  };
  const checkEveryone = (): void => {
    if ((waiting?.callers ?? 0) >= (shared?.callers ?? 0)) everyone.resolve();
  };

  return {
    next() {
      if (waiting !== undefined) {
        waiting.callers += 1;
        checkEveryone();
        return waiting.result;
      }
      if (running === undefined && (gather === undefined || shared === undefined)) return begin(1);
      waiting = { callers: 1, result: later() };
      return waiting.result;
    },
    async idle() {
      await waiting?.result.catch(() => undefined);
      await running;
    },
  };
}
