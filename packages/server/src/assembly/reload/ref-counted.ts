/** A reference-counted handle of a value that is closed after its last use. */
export interface RefCounted<T> {
  /** The value, which may be closed. To have it open, call `use`. */
  readonly value: T;
  /** Runs a task with the value, which stays open until the task ends. If it is closed, a new one is made for the task. */
  use<R>(task: (made: T) => Promise<R>): Promise<R>;
  /** Closes the value as soon as it is unused. Errors are ignored. */
  retire(): void;
  /** Closes the value now, and waits for closing that `retire` started. */
  close(): Promise<void>;
}

/**
 * Counts the references to the value of `make`. A call holds its configuration as long as it runs, so the parts of an old
 * configuration stay available to it.
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
