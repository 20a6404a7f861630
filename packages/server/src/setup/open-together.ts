/** Several open resources. */
export interface OpenResources {
  /** Adds the function that closes an open resource. */
  defer(close: () => unknown): void;
  /** Adds an open resource with the function that closes it. Returns the resource. */
  add<T>(resource: T, close: (resource: T) => unknown): T;
  /** Closes everything in reverse order, even if some of it fails. Rejects with the failures. */
  close(): Promise<void>;
}

/** Opens several resources, all or none: if `open` fails, everything that it deferred is closed. */
export async function openTogether<T>(open: (opened: OpenResources) => Promise<T>): Promise<T> {
  const closers: (() => unknown)[] = [];
  const opened: OpenResources = {
    defer: (close) => void closers.push(close),
    add(resource, close) {
      closers.push(() => close(resource));
      return resource;
    },
    async close() {
      const errors: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
        try {
          await close();
        } catch (error) {
          errors.push(error);
        }
      }
      throwAll(errors);
    },
  };
  try {
    return await open(opened);
  } catch (error) {
    await opened.close().catch((also: unknown) => throwAll([error, also]));
    throw error;
  }
}

function throwAll(thrown: readonly unknown[]): void {
  // What has failed to open fails again with the same error where it would be closed.
  const errors = [...new Set(thrown)];
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
}
