import { SkillError } from '@ambit/core';
import type { HostKind } from './host-command.ts';
import type { WasmHost } from './wasm-host.ts';

/** How many hosts there are. */
export interface PoolSize {
  /** As many wait for calls, once there have been calls for them. */
  ahead: number;
  /** No more at a time; calls beyond wait for one. */
  most: number;
}

/** Host processes that are used again and again, one call at a time in each. */
export interface HostPool {
  /**
   * A host of this kind that is the caller's until `give`: preferably one that has compiled `key`, else one that waits,
   * else a new one. Resolves to `undefined` when `signal` aborts before there is one; rejects when none can be started.
   */
  take(kind: HostKind, key: string, signal: AbortSignal): Promise<WasmHost | undefined>;
  /** Takes a host back. One that has not survived its call is replaced. */
  give(host: WasmHost, survived: boolean): void;
  /** Starts hosts of this kind until as many wait as shall. */
  warm(kind: HostKind): Promise<void>;
  load(): HostPoolLoad;
  /** Resolves when hosts can be started, as far as is known: one is tried where none was, or the last could not be. */
  check(kind: HostKind): Promise<void>;
  close(): Promise<void>;
}

/** What is in a pool at one moment. */
export interface HostPoolLoad {
  /** All that live or are being started. */
  hosts: number;
  /** Those of them that wait for a call. */
  idle: number;
  /** Calls that wait for one. */
  waiting: number;
  /** Since the pool was made: all that were started, and those that did not survive a call, or ended while they waited. */
  started: number;
  lost: number;
}

/** A call that there was no host for. */
interface Waiter {
  kind: HostKind;
  key: string;
  /** It is taken out of the queue first. */
  resolve(host: WasmHost | undefined): void;
  reject(error: unknown): void;
  /** Whether a host is being started on its behalf. */
  helped: boolean;
  /** Whether it has waited for so long, with so few others served, that there should be more hosts. */
  impatient: boolean;
}

/**
 * How long a call waits for a host that works before another is started, which takes as long as many calls. Not while
 * each host takes more than so many calls in that time: then they are short and wait for a processor, and one more to
 * share it would take from all.
 */
const patienceMs = 100;
const callsOfBusyHost = 2;
/** How long those that were started for a rush wait for the next. */
const lingerMs = 5000;

/** A pool of what `start` starts. */
export function hostPool(start: (kind: HostKind) => Promise<WasmHost>, { ahead, most }: PoolSize): HostPool {
  /** In order of their last use. */
  const idle = new Set<WasmHost>();
  const waiters: Waiter[] = [];
  /** What `close` waits for. */
  const ending = new Set<Promise<void>>();
  const opening = new Set<Promise<WasmHost>>();
  /** All that live or are being started. */
  let count = 0;
  let closed = false;
  let [started, lost, taken] = [0, 0, 0];
  let hasStarted = false;

  const same = (host: WasmHost, kind: HostKind): boolean =>
    host.kind === kind || JSON.stringify(host.kind) === JSON.stringify(kind);

  const end = (host: WasmHost): void => {
    count--;
    const ended = host.close().finally(() => ending.delete(ended));
    ending.add(ended);
  };

  const open = async (kind: HostKind): Promise<WasmHost> => {
    count++;
    const opened = start(kind);
    opening.add(opened);
    try {
      const host = await opened;
      started++;
      hasStarted = true;
      void host.gone.then(() => {
        if (!idle.delete(host)) return;
        lost++;
        end(host);
        replace(kind);
      });
      return host;
    } catch (error) {
      count--;
      hasStarted = false;
      throw error;
    } finally {
      opening.delete(opened);
    }
  };

  const replace = (kind: HostKind): void => {
    if (closed || count >= ahead) return;
    // One that cannot be started is told to the next call.
    open(kind).then(put, () => undefined);
  };

  /** Of those that fit the last used one that has it, else the last used one. */
  const pick = (kind: HostKind, key: string): WasmHost | undefined => {
    let found: WasmHost | undefined;
    for (const host of idle) {
      if (host.isSpent() || !same(host, kind)) continue;
      if (host.holds(key) || found?.holds(key) !== true) found = host;
    }
    if (found !== undefined && idle.delete(found)) taken++;
    return found;
  };

  const settle = (waiter: Waiter): void => {
    const index = waiters.indexOf(waiter);
    if (index !== -1) waiters.splice(index, 1);
  };

  const help = (waiter: Waiter): void => {
    if (waiter.helped) return;
    waiter.helped = true;
    open(waiter.kind).then(put, (error: unknown) => {
      settle(waiter);
      waiter.reject(error);
    });
  };

  /** Whether one more may be started: for a rush one at a time, because all that start are in one another's way. */
  const hasRoom = ({ impatient }: Waiter): boolean =>
    count < ahead || (impatient && count < most && opening.size === 0);

  /** Sees who can go on, whenever a host or a place has become free. */
  const serve = (): void => {
    for (const waiter of [...waiters]) {
      const host = pick(waiter.kind, waiter.key);
      if (host !== undefined) {
        settle(waiter);
        waiter.resolve(host);
      } else if (!waiter.helped && hasRoom(waiter)) {
        help(waiter);
      } else if (!waiter.helped) {
        // A host of another kind that waits is in the way of one that is wanted.
        const [other] = idle;
        if (other === undefined) continue;
        idle.delete(other);
        end(other);
        help(waiter);
      }
    }
  };

  let trimming: NodeJS.Timeout | undefined;
  const trim = (): void => {
    trimming = undefined;
    for (const least of idle) {
      if (count <= ahead) break;
      idle.delete(least);
      end(least);
    }
  };

  const put = (host: WasmHost): void => {
    if (closed) {
      end(host);
      return;
    }
    idle.add(host);
    serve();
    if (count > ahead) trimming ??= setTimeout(trim, lingerMs).unref();
  };

  return {
    async take(kind, key, signal) {
      if (signal.aborted) return undefined;
      if (closed) throw new SkillError('SANDBOX_UNAVAILABLE', 'the hosts of WASM skills have been closed');
      const host = pick(kind, key);
      if (host !== undefined) return host;
      return new Promise((resolve, reject) => {
        let takenBefore = taken;
        const impatient = setInterval(() => {
          waiter.impatient ||= taken - takenBefore <= callsOfBusyHost * count;
          takenBefore = taken;
          if (waiter.impatient) serve();
        }, patienceMs);
        const cancel = (): void => waiter.resolve(undefined);
        const done = (): void => {
          clearInterval(impatient);
          signal.removeEventListener('abort', cancel);
          settle(waiter);
        };
        const waiter: Waiter = {
          kind,
          key,
          helped: false,
          impatient: false,
          resolve(found) {
            done();
            resolve(found);
          },
          reject(error) {
            done();
            reject(error);
          },
        };
        signal.addEventListener('abort', cancel, { once: true });
        waiters.push(waiter);
        serve();
      });
    },
    give(host, survived) {
      if (survived && !host.isSpent()) {
        put(host);
        return;
      }
      if (!survived) lost++;
      end(host);
      if (!closed) serve();
      replace(host.kind);
    },
    async warm(kind) {
      while (!closed && count < ahead) put(await open(kind));
    },
    async check(kind) {
      if (!hasStarted && !closed) end(await open(kind));
    },
    load: () => ({ hosts: count, idle: idle.size, waiting: waiters.length, started, lost }),
    async close() {
      closed = true;
      clearTimeout(trimming);
      for (const host of idle) end(host);
      idle.clear();
      for (const waiter of [...waiters]) waiter.resolve(undefined);
      await Promise.allSettled(opening);
      await Promise.all(ending);
    },
  };
}
