/** @import { GuestMemory } from './guest-memory.mjs' */
import { errno } from './errno.mjs';

const realtime = 0;
const monotonic = 1;

/** The resolution of each clock, in nanoseconds. @type {Readonly<Record<number, bigint>>} */
const resolutions = { [realtime]: 1_000_000n, [monotonic]: 1n };

/**
 * The time in nanoseconds, or `undefined` for an unsupported clock: the CPU-time clocks would
 * reveal other calls of the host process.
 *
 * @typedef {(clock: number) => bigint | undefined} Now
 */

/**
 * Nanoseconds since 1970. Never a whole second: programs convert that in other instructions, and one call in a
 * thousand would use a different amount of fuel.
 */
export function unixTime() {
  return BigInt(Date.now()) * 1_000_000n + 1_000n;
}

/** Clocks for one call; the monotonic clock starts with the call. @returns {Now} */
export function callClocks() {
  const start = process.hrtime.bigint();
  return (clock) => {
    if (clock === realtime) return unixTime();
    return clock === monotonic ? process.hrtime.bigint() - start : undefined;
  };
}

/**
 * @param {GuestMemory} memory
 * @param {Now} now
 */
export function clockFunctions(memory, now) {
  /** @param {number} address @param {bigint | undefined} time */
  const answer = (address, time) => {
    if (time === undefined) return errno.inval;
    memory.setU64(address, time);
    return errno.success;
  };
  return {
    clock_res_get: (/** @type {number} */ clock, /** @type {number} */ address) =>
      answer(address, resolutions[clock]),
    clock_time_get: (
      /** @type {number} */ clock,
      /** @type {bigint} */ _precision,
      /** @type {number} */ address,
    ) => answer(address, now(clock)),
  };
}
