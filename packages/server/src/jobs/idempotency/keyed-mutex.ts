/** Does pieces of work that have the same name one after another, in the order in which they are given. */
export type KeyedMutex = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Nothing is under way. What fails holds up nothing that comes after it. */
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
