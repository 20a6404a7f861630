/**
 * A value that is usually known immediately, or a promise of it. Await only a promise, because every
 * `await` costs a turn of the microtask queue, and a call passes through many functions.
 */
export type Awaitable<T> = T | Promise<T>;

/** Whether a value is still to come. */
export function isPending<T>(value: Awaitable<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Continues with a value, immediately if it is known. */
export function whenKnown<T, Result>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return isPending(value) ? value.then(next) : next(value);
}
