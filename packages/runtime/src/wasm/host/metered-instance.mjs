const pageBytes = 64 * 1024;
const refusedMemory = 1;

/**
 * The limits of a call. A `fuel` of 2 to the 62nd means unlimited.
 *
 * @typedef {object} CallBounds
 * @property {number} memoryBytes
 * @property {number} outputBytes
 * @property {bigint | number} fuel
 * @property {number} tableGrowth the number of elements by which all tables together may grow
 */

/** The module's initial memory exceeds the call's limit. */
export class MemoryBeyondBounds extends Error {}

/**
 * An instance of a metered module (meter/meter-module.mjs), whose budget is set before any of its
 * code runs. The caller runs its start function, which metering removed from instantiation.
 */
export class MeteredInstance {
  /** @type {bigint} */
  #fuel;
  /** The fuel left when it was stopped. @type {bigint | undefined} */
  #left;
  /** @type {WebAssembly.Exports} */
  #exports;

  /**
   * Throws `MemoryBeyondBounds`.
   *
   * @param {WebAssembly.Instance} instance a new instance that has not run
   * @param {CallBounds} bounds
   */
  constructor(instance, { fuel, memoryBytes, tableGrowth }) {
    this.#exports = instance.exports;
    this.#fuel = BigInt(fuel);
    if (this.memoryBytes > memoryBytes) throw new MemoryBeyondBounds();
    this.#ask('begin', this.#fuel, Math.floor(memoryBytes / pageBytes), tableGrowth);
  }

  get exports() {
    return this.#exports;
  }

  /** The current size of its memory, which is also its peak. */
  get memoryBytes() {
    return this.#ask('pages') * pageBytes;
  }

  /**
   * Calls an exported function by its name, if it exists, and returns its result.
   *
   * @param {string}
   * name
   */
  call(name) {
    const run = this.#exports[name];
    return typeof run === 'function' ? run() : undefined;
  }

  /** Runs the module's start function, if it has one. */
  start() {
    this.#ask('start');
  }

  /** Removes its fuel, so that it traps at its next stretch of code: no module can catch a trap. */
  stop() {
    this.#left ??= this.#fuelLeft;
    this.#ask('begin', 0n, 0, 0);
  }

  /** At most the budget. */
  get fuelConsumed() {
    const left = this.#fuelLeft;
    return Number(this.#fuel - (left < 0n ? 0n : left));
  }

  get ranOutOfFuel() {
    return this.#fuelLeft < 0n;
  }

  get wasRefusedMemory() {
    return (this.#ask('refused') & refusedMemory) !== 0;
  }

  /** @returns {bigint} */
  get #fuelLeft() {
    return this.#left ?? this.#ask('fuel');
  }

  /**
   * @param {'begin' | 'start' | 'fuel' | 'refused' | 'pages'} what
   * @param {unknown[]} args
   * @returns {any}
   */
  #ask(what, ...args) {
    const ask = this.#exports[`ambit:${what}`];
    return typeof ask === 'function' ? ask(...args) : undefined;
  }
}
