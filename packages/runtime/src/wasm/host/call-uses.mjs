/** @import { HostUses } from '../pool/host-protocol.ts' */

/** As many items of a kind as a record holds, and as many characters of each (core's `usedBounds`). */
const itemsMax = 100;
const itemCharactersMax = 1024;

/** What one call does that only its host sees; the daemon counts what it is asked for itself. */
export class CallUses {
  #functions = new Counts();
  #env = new Counts();
  #read = new Counts();
  #written = new Counts();
  #workspace = 0;
  #hasEnvironment = false;

  /** It called a host function that is answered here. @param {string} name */
  called(name) {
    this.#functions.add(name);
  }

  /** It read a variable. @param {string} name */
  variable(name) {
    this.#env.add(name);
  }

  /** It was given its environment whole: what it reads of it is not seen. */
  environment() {
    this.#hasEnvironment = true;
  }

  /** It read a granted file. @param {string} path absolute and plain */
  read(path) {
    this.#read.add(path);
  }

  /** It wrote one. @param {string} path absolute and plain */
  wrote(path) {
    this.#written.add(path);
  }

  /** It opened, listed or changed something in its workspace. */
  workspace() {
    this.#workspace += 1;
  }

  /** @returns {HostUses} */
  report() {
    return {
      functions: this.#functions.listed(),
      env: this.#env.listed(),
      read: this.#read.listed(),
      written: this.#written.listed(),
      more: { env: this.#env.more, read: this.#read.more, written: this.#written.more },
      workspace: this.#workspace,
      hasEnvironment: this.#hasEnvironment,
    };
  }
}

/** How often each item was used; of items beyond the bounds only how often together. */
class Counts {
  /** @type {Map<string, number>} */
  #counts = new Map();
  more = 0;

  /** @param {string} item */
  add(item) {
    const count = this.#counts.get(item);
    const isListed = count !== undefined || this.#counts.size < itemsMax;
    if (isListed && item.length <= itemCharactersMax) this.#counts.set(item, (count ?? 0) + 1);
    else this.more += 1;
  }

  listed() {
    return [...this.#counts];
  }
}
