/** Pieces of work, one after another. */
export interface Lanes {
  /** Does the work when it is its turn: small and large pieces take turns while both wait, each in its own order. */
  enter<T>(size: 'small' | 'large', work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing waits or is under way. */
  empty(): Promise<void>;
}

/** Nothing waits. What fails holds up nothing that comes after it. */
export function lanes(): Lanes {
  const waiting = { small: [] as (() => Promise<void>)[], large: [] as (() => Promise<void>)[] };
  let last: keyof typeof waiting = 'large';
  let underWay: Promise<void> | undefined;

  const next = (): (() => Promise<void>) | undefined => {
    const other = last === 'large' ? 'small' : 'large';
    if (waiting[other].length > 0) last = other;
    return waiting[last].shift();
  };
  const doAll = async (): Promise<void> => {
    for (let work = next(); work !== undefined; work = next()) await work();
    underWay = undefined;
  };

  return {
    enter<T>(size: keyof typeof waiting, work: () => Promise<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting[size].push(() => work().then(resolve, reject));
      underWay ??= doAll();
      return promise;
    },
    async empty() {
      while (underWay !== undefined) await underWay;
    },
  };
}
