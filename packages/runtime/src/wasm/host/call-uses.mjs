/** @import { HostUses } from '../pool/host-protocol.ts' */
import { CapabilityViolated } from './capability-violated.mjs';

/** The number of items of a kind in a record (core's `usedBounds`), and of calls in it (core's `hostCallsMax`). */
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
  #startedAt;
  /** @type {NonNullable<HostUses['calls']>} */
  #calls = [];

  /** @param {number} startedAt when the host received the call, of `performance.now()` */
  constructor(startedAt) {
    this.#startedAt = startedAt;
  }

  /**
   * Runs a host function that the host itself answers.
   *
   * @template Value
   * @param {string} name
   * @param {() => Value} answer
   * @returns {Value}
   */
  called(name, answer) {
    this.#functions.add(name);
    if (this.#calls.length >= itemsMax) return answer();
    const at = performance.now();
    /** @type {NonNullable<HostUses['calls']>[number]} */
    const call = [name, at - this.#startedAt, 0, 'returned'];
    this.#calls.push(call);
    try {
      return answer();
    } catch (error) {
      call[3] = error instanceof CapabilityViolated ? 'denied' : 'failed';
      throw error;
    } finally {
      call[2] = performance.now() - at;
    }
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
      calls: this.#calls.length > 0 ? this.#calls : undefined,
      env: this.#env.listed(),
      read: this.#read.listed(),
      written: this.#written.listed(),
      more: { env: this.#env.more, read: this.#read.more, written: this.#written.more },
      workspace: this.#workspace,
      hasEnvironment: this.#hasEnvironment,
    };
  }
}

/** Counts the uses of each item; items beyond the limits are only counted together. */
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
