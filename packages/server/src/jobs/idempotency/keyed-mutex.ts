/** Runs work with the same name one after another, in order. */
export type KeyedMutex = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Starts idle. Failed work does not block later work. */
export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<void>>();
  return (name, work) => {
    const done = (last.get(name) ?? Promise.resolve()).then(work);
    const forget = (): void => {
      if (last.get(name) === over) last.delete(name);
    };
    const over = done.then(forget, forget);
    last.set(name, over);
    return done;
  };
}
