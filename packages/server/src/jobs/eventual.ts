/** A result to come. Most are awaited by no one, so its promise is made at the first question. */
export interface Eventual<T> {
  /** Sets the result, once. */
  resolve(value: T): void;
  promise(): Promise<T>;
}

export function eventual<T>(): Eventual<T> {
  let known: { value: T } | undefined;
  let asked: PromiseWithResolvers<T> | undefined;
  return {
    resolve(value) {
      known ??= { value };
      asked?.resolve(value);
    },
    promise() {
      asked ??= Promise.withResolvers<T>();
      if (known !== undefined) asked.resolve(known.value);
      return asked.promise;
    },
  };
}
