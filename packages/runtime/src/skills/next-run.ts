/**
 * Has many callers share the runs of something that looks at the state of the world: whoever calls during a run waits for
 * the one that begins after it, together with all others who do, since the run may have passed what has changed since.
 */
export function nextRun<Result>(run: () => Promise<Result>): {
  /** The result of a run that begins after this call. */
  next(): Promise<Result>;
  /** Resolves when nothing runs any more of what had been asked for. */
  idle(): Promise<void>;
} {
  let running: Promise<unknown> | undefined;
  let waiting: Promise<Result> | undefined;
  const begin = (): Promise<Result> => {
    const mine = run();
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    running = settled;
    void settled.then(() => {
      if (running === settled) running = undefined;
    });
    return mine;
  };
  return {
    next() {
      if (running === undefined) return begin();
      waiting ??= running.then(() => {
        waiting = undefined;
        return begin();
      });
      return waiting;
    },
    async idle() {
      await waiting?.catch(() => undefined);
      await running;
    },
  };
}
