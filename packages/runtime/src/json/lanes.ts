/** Two queues of work that runs one piece at a time. */
export interface Lanes {
  /**
   * Runs the work in turn: small and large pieces alternate while both wait, each size in its own
   * order.
   */
  enter<T>(size: 'small' | 'large', work: () => Promise<T>): Promise<T>;
  /** Resolves when no work is waiting or running. */
  empty(): Promise<void>;
}

/** A failing piece of work does not stop later ones. */
export function lanes(): Lanes {
  const waiting = { small: [] as (() => Promise<void>)[], large: [] as (() => Promise<void>)[] };
  let last: keyof typeof waiting = 'large';
  let running: Promise<void> | undefined;

  const next = (): (() => Promise<void>) | undefined => {
    const other = last === 'large' ? 'small' : 'large';
    if (waiting[other].length > 0) last = other;
    return waiting[last].shift();
  };
  const runAll = async (): Promise<void> => {
    for (let work = next(); work !== undefined; work = next()) await work();
    running = undefined;
  };

  return {
    enter<T>(size: keyof typeof waiting, work: () => Promise<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting[size].push(() => work().then(resolve, reject));
      running ??= runAll();
      return promise;
    },
    async empty() {
      while (running !== undefined) await running;
    },
  };
}
