/**
 * What ended a call from within a host function: its first word is the last. WebAssembly can catch what JavaScript
 * throws, so an ending is kept here, every host function after it throws it once more, and the module is stopped.
 */
export class CallEnding {
  /** @type {Error | undefined} */
  #reason;
  #stop;

  /** @param {() => void} stop keeps the module from going on, whatever it catches */
  constructor(stop) {
    this.#stop = stop;
  }

  /** Why the call is over, or `undefined` while it is not. */
  get reason() {
    return this.#reason;
  }

  /**
   * The same functions, which end the call when they throw and do nothing once it is over.
   *
   * @template {Record<string, (...args: any[]) => unknown>} Functions
   * @param {Functions} functions
   * @returns {Functions}
   */
  endedBy(functions) {
    const guarded = Object.entries(functions).map(([name, run]) => [
      name,
      (/** @type {unknown[]} */ ...args) => {
        if (this.#reason !== undefined) throw this.#reason;
        try {
          return run(...args);
        } catch (error) {
          this.#reason = error instanceof Error ? error : new Error(String(error));
          this.#stop();
          throw this.#reason;
        }
      },
    ]);
    return Object.fromEntries(guarded);
  }
}
