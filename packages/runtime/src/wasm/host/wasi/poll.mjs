/** @import { Now } from './clocks.mjs' */
/** @import { GuestMemory } from './guest-memory.mjs' */
/** @import { OpenFiles } from './open-files.mjs' */
import { errno } from './errno.mjs';
import { readiness } from './transfers.mjs';

const subscriptionBytes = 48;
const eventBytes = 32;
const subscriptionsMax = 1024;
const kinds = { clock: 0, read: 1, write: 2 };
const absolute = 1;
const hangup = 1;

/**
 * An event that a program waits for. `dueNs` is the time from now, 0 if it is ready.
 *
 * @typedef {object} Awaited
 * @property {bigint} userdata
 * @property {number} kind
 * @property {bigint} dueNs
 * @property {number} error
 * @property {number} bytes
 * @property {number} flags
 */

/**
 * `poll_oneoff`, with which programs also sleep. Streams and files are always ready. Waiting takes
 * no CPU time, and ends at the call's deadline, which the daemon enforces.
 *
 * @param {GuestMemory} memory
 * @param {OpenFiles} open
 * @param {Now} now
 * @param {() => void} beforeWait flushes output
 */
export function pollFunction(memory, open, now, beforeWait) {
  /** @param {DataView} view @returns {Awaited} */
  const subscription = (view) => {
    const userdata = view.getBigUint64(0, true);
    const kind = view.getUint8(8);
    const event = { userdata, kind, dueNs: 0n, error: errno.success, bytes: 0, flags: 0 };
    if (kind === kinds.clock) {
      const time = now(view.getUint32(16, true));
      if (time === undefined) return { ...event, error: errno.inval };
      const timeout = view.getBigUint64(24, true);
      return { ...event, dueNs: view.getUint16(40, true) & absolute ? timeout - time : timeout };
    }
    const ready = readiness(open, view.getUint32(16, true));
    if (kind === kinds.read && ready?.canRead) {
      return { ...event, bytes: ready.bytes, flags: ready.bytes === 0 ? hangup : 0 };
    }
    return kind === kinds.write && ready?.canWrite ? event : { ...event, error: errno.badf };
  };

  return (
    /** @type {number} */ subscriptionsAt,
    /** @type {number} */ eventsAt,
    /** @type {number} */ count,
    /** @type {number} */ countAt,
  ) => {
    if (count === 0 || count >>> 0 > subscriptionsMax) return errno.inval;
    const awaited = Array.from({ length: count }, (_, index) =>
      subscription(memory.view((subscriptionsAt >>> 0) + index * subscriptionBytes, subscriptionBytes)),
    );
    const events = memory.view(eventsAt, count * eventBytes);
    const [first] = awaited.toSorted((one, other) => Number(one.dueNs - other.dueNs));
    if (first !== undefined && first.dueNs > 0n) {
      beforeWait();
      sleep(first.dueNs);
    }
    const happened = awaited.filter(({ dueNs }) => dueNs <= 0n || dueNs === first?.dueNs);
    for (const [index, event] of happened.entries()) writeEvent(events, index * eventBytes, event);
    memory.setU32(countAt, happened.length);
    return errno.success;
  };
}

/** @param {bigint} durationNs */
function sleep(durationNs) {
  const end = process.hrtime.bigint() + durationNs;
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  for (let leftNs = durationNs; leftNs > 0n; leftNs = end - process.hrtime.bigint()) {
    Atomics.wait(neverNotified, 0, 0, Number(leftNs) / 1e6);
  }
}

/** @param {DataView} view @param {number} at @param {Awaited} event */
function writeEvent(view, at, { userdata, kind, error, bytes, flags }) {
  view.setBigUint64(at, userdata, true);
  view.setUint16(at + 8, error, true);
  view.setUint8(at + 10, kind);
  view.setBigUint64(at + 16, BigInt(bytes), true);
  view.setUint16(at + 24, flags, true);
}
