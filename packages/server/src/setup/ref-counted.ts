/** A reference-counted resource that is closed after its last use. */
export interface RefCounted<T> {
  /** The resource as first made, which may be closed. To have it open, call `lease`. */
  readonly value: T;
  /** Holds the resource open until `release` is called. If it is closed, a new one is made. */
  lease(): Lease<T>;
  /** Closes the resource as soon as it is unused. Errors are ignored. */
  retire(): void;
  /** Closes the resource now, and waits for closing that `retire` started. */
  close(): Promise<void>;
}

/** A resource that is held open. */
interface Lease<T> {
  readonly value: T;
  /** Has no effect when it is called again. */
  release(): void;
}

/**
 * Counts the uses of the resources that `make` creates. A call continues under the configuration with which it started, so
 * the parts of a replaced configuration close only after its last call.
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
    lease() {
      open ??= make();
      users += 1;
      let isHeld = true;
      return {
        value: open,
        release() {
          if (!isHeld) return;
          isHeld = false;
          users -= 1;
          if (retired && users === 0) end();
        },
      };
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

/** Runs a task with the resource, which stays open until the task ends. */
export async function withLease<T, R>(
  resource: RefCounted<T>,
  task: (value: T) => R | Promise<R>,
): Promise<R> {
  const { value, release } = resource.lease();
  try {
    return await task(value);
  } finally {
    release();
  }
}
