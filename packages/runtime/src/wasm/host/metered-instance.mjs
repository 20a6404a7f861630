const pageBytes = 64 * 1024;
const refusedMemory = 1;

/**
 * What a call may have of the machine. `fuel` has a value that stands for unlimited, 2 to the 62nd.
 *
 * @typedef {object} CallBounds
 * @property {number} memoryBytes
 * @property {number} outputBytes
 * @property {bigint | number} fuel
 * @property {number} tableGrowth by how many elements all tables together may grow
 */

/** A memory that is larger at its start than the call may have. */
export class MemoryBeyondBounds extends Error {}

/**
 * An instance of a metered module (meter/meter-module.mjs), whose budget is set before any of its code runs. Its start
 * function, which metering took away from instantiation, is the caller's to run.
 */
export class MeteredInstance {
  /** @type {bigint} */
  #fuel;
  /** What was left when it was stopped. @type {bigint | undefined} */
  #left;
  /** @type {WebAssembly.Exports} */
  #exports;

  /**
   * Throws `MemoryBeyondBounds`.
   *
   * @param {WebAssembly.Instance} instance a new one, of which nothing has run
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

  /** How long its memory is now, which is the longest that it ever was. */
  get memoryBytes() {
    return this.#ask('pages') * pageBytes;
  }

  /** Calls an exported function by its name, if there is one, and gives what it returns. @param {string} name */
  call(name) {
    const run = this.#exports[name];
    return typeof run === 'function' ? run() : undefined;
  }

  /** Runs the module's start function, if it has one. */
  start() {
    this.#ask('start');
  }

  /** Takes its fuel away, so that it traps with its next stretch of code: a trap is what no module can catch. */
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
