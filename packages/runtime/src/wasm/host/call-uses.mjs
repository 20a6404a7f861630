/** @import { HostUses } from '../pool/host-protocol.ts' */

/** The number of items of a kind in a record, and the length of each (core's `usedBounds`). */
const itemsMax = 100;
const itemCharactersMax = 1024;

/**
 * The uses of one call that only its host sees; the daemon counts the requests that it answers
 * itself.
 */
export class CallUses {
  #functions = new Counts();
  #env = new Counts();
  #read = new Counts();
  #written = new Counts();
  #workspace = 0;
  #hasEnvironment = false;

  /** It called a host function that the host itself answers. @param {string} name */
  called(name) {
    this.#functions.add(name);
  }

  /** It read a variable. @param {string} name */
  variable(name) {
    this.#env.add(name);
  }

  /** It received its whole environment; which variables it reads is not visible. */
  environment() {
    this.#hasEnvironment = true;
  }

  /** It read a granted file. @param {string} path absolute and normalized */
  read(path) {
    this.#read.add(path);
  }

  /** It wrote a granted file. @param {string} path absolute and normalized */
  wrote(path) {
    this.#written.add(path);
  }

  /** It opened, listed or changed a file in its workspace. */
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

/** How often each item was used; items beyond the limits are only counted together. */
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
