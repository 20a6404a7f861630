/** Something that is closed when its last user is done with it. */
export interface RefCounted<T> {
  /** What it was made as. Whoever needs it open asks `use`. */
  readonly value: T;
  /** Runs a task with it; it stays open until the task ends. One that has been closed is made once more, for the task. */
  use<R>(task: (made: T) => Promise<R>): Promise<R>;
  /** Closes it as soon as nobody uses it. What goes wrong then is told to nobody. */
  retire(): void;
  /** Closes it now, and waits for what `retire` has begun to close. */
  close(): Promise<void>;
}

/**
 * Lends what `make` makes. A call keeps the configuration with which it came, for as long as it likes; so what belongs to
 * an old one cannot be closed for good while anybody might still ask for it.
 */
export function refCounted<T>(make: () => T, close: (value: T) => Promise<void>): RefCounted<T> {
  const value = make();
  const closing = new Set<Promise<void>>();
  let open: T | undefined = value;
  let users = 0;
  let retired = false;

  const end = (): void => {
    if (open === undefined) return;
    const ended = close(open)
      .catch(() => undefined)
      .finally(() => closing.delete(ended));
    closing.add(ended);
    open = undefined;
  };

  return {
    value,
    async use(task) {
      open ??= make();
      users += 1;
      try {
        return await task(open);
      } finally {
        users -= 1;
        if (retired && users === 0) end();
      }
    },
    retire() {
      retired = true;
      if (users === 0) end();
    },
    async close() {
      retired = true;
      end();
      await Promise.all(closing);
    },
  };
}
