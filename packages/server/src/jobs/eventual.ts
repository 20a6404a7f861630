/** A result to come. Most are awaited by no one, so its promise is made at the first question. */
export interface Eventual<T> {
  /** Sets the result, once. */
  resolve(value: T): void;
  promise(): Promise<T>;
}

export function eventual<T>(): Eventual<T> {
  let known: { value: T } | undefined;
  let pending: PromiseWithResolvers<T> | undefined;
  return {
    resolve(value) {
      known ??= { value };
      pending?.resolve(value);
    },
    promise() {
      pending ??= Promise.withResolvers<T>();
      if (known !== undefined) pending.resolve(known.value);
      return pending.promise;
    },
  };
}
