/**
 * Records the error with which a host function ended a call; the first one counts. WebAssembly can
 * catch what JavaScript throws, so every later host function throws the error again, and the module
 * is stopped.
 */
export class CallEnding {
  /** @type {Error | undefined} */
  #reason;
  #stop;

  /** @param {() => void} stop stops the module, whatever it catches */
  constructor(stop) {
    this.#stop = stop;
  }

  /** The reason why the call ended; `undefined` while it runs. */
  get reason() {
    return this.#reason;
  }

  /**
   * Wraps functions so that they end the call when they throw, and do nothing after it ended.
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
