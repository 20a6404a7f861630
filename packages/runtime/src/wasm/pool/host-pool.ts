import { SkillError } from '@ambit/core';
import type { SharedMemory } from '@ambit/core/execute';
import { type HostKind, hostOwnBytes } from './host-command.ts';
import type { WasmHost } from './wasm-host.ts';

/** The size of a pool. */
export interface PoolSize {
  /** The number of hosts that wait for calls, once there have been calls for them. */
  ahead: number;
  /** The maximum number of hosts; further calls wait for one. */
  max: number;
}

/** Reused host processes, each with one call at a time. */
export interface HostPool {
  /**
   * Takes a host of this kind until `give`: preferably a host with `key` compiled,
   * otherwise a waiting one, otherwise a new one. Resolves to `undefined` if `signal` aborts first; rejects if
   * no host can be started.
   */
  take(kind: HostKind, key: string, signal: AbortSignal): Promise<WasmHost | undefined>;
  /** Returns a host to the pool. A host that did not survive its call is replaced. */
  give(host: WasmHost, survived: boolean): void;
  /** Starts hosts of this kind until `ahead` hosts exist. */
  warm(kind: HostKind): Promise<void>;
  load(): HostPoolLoad;
  /**
   * Resolves if hosts can be started, as far as is known. Starts one if none was started yet or the
   * last start failed. It waits a few seconds for a call or for `warm`.
   */
  check(kind: HostKind): Promise<void>;
  close(): Promise<void>;
}

/** The current state of a pool. */
export interface HostPoolLoad {
  /** Hosts that run or are starting. */
  hosts: number;
  /** Hosts that wait for a call. */
  idle: number;
  /** Calls that wait for a host. */
  waiting: number;
  /**
   * Since the pool was created: hosts started, and hosts that did not survive a call or ended while
   * they waited.
   */
  started: number;
  lost: number;
}

/** A call that waits for a host. */
interface Waiter {
  kind: HostKind;
  key: string;
  /** Removes it from the queue first. */
  resolve(host: WasmHost | undefined): void;
  reject(error: unknown): void;
  /** Whether a host is starting for it. */
  hasStarting: boolean;
  /**
   * Whether it has waited so long, with so few other calls served, that another host should start.
   */
  impatient: boolean;
}

/**
 * How long a call waits for a busy host before another is started, which takes as long as many
 * calls. No host is started while each host takes more than `callsOfBusyHost` calls in that time:
 * such calls are short and wait for a processor, which another host would only share.
 */
const patienceMs = 100;
const callsOfBusyHost = 2;
/** How long hosts that were started for a peak wait for the next one. */
const lingerMs = 5000;

/** A pool of hosts that `start` starts. A waiting host holds its own part of `memory`, which calls take from it. */
export function hostPool(
  start: (kind: HostKind) => Promise<WasmHost>,
  { ahead, max }: PoolSize,
  memory: SharedMemory,
): HostPool {
  /** In order of last use. */
  const idle = new Map<WasmHost, () => void>();
  const waiters: Waiter[] = [];
  /** Hosts that `close` waits for. */
  const ending = new Set<Promise<void>>();
  const opening = new Set<Promise<WasmHost>>();
  /** Hosts that run or are starting. */
  let count = 0;
  let closed = false;
  let [started, lost, taken] = [0, 0, 0];
  let hasStarted = false;
  let checking: Promise<void> | undefined;
  /** The host that `check` started, until a host is taken or warmed. */
  let spare: WasmHost | undefined;

  const same = (host: WasmHost, kind: HostKind): boolean =>
    host.kind === kind || JSON.stringify(host.kind) === JSON.stringify(kind);

  const end = (host: WasmHost): Promise<void> => {
    count--;
    const ended = host.close().finally(() => ending.delete(ended));
    ending.add(ended);
    return ended;
  };

  /** Whether the host waited. It no longer does, and its memory is free. */
  const unpark = (host: WasmHost): boolean => {
    idle.get(host)?.();
    return idle.delete(host);
  };

  const hasMemory = (): boolean => {
    const { share, reserved, idle: held } = memory.load();
    return reserved + held + hostOwnBytes <= share;
  };

  /** Whether the host can wait. Otherwise calls need its memory. */
  const park = (host: WasmHost): boolean => {
    const free = memory.holdIdle(hostOwnBytes, async () => {
      if (idle.delete(host)) await end(host);
    });
    if (free !== undefined) idle.set(host, free);
    return free !== undefined;
  };

  const open = async (kind: HostKind): Promise<WasmHost> => {
    count++;
    const opened = memory.makeRoom().then(() => start(kind));
    opening.add(opened);
    try {
      const host = await opened;
      started++;
      hasStarted = true;
      void host.gone.then(() => {
        if (!unpark(host)) return;
        lost++;
        void end(host);
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
    if (closed || count >= ahead || !hasMemory()) return;
    // The next call reports a host that cannot be started.
    open(kind).then(put, () => undefined);
  };

  /** The last used matching host that has the entry, otherwise the last used matching host. */
  const pick = (kind: HostKind, key: string): WasmHost | undefined => {
    let found: WasmHost | undefined;
    for (const host of idle.keys()) {
      if (host.isSpent() || !same(host, kind)) continue;
      if (host.holds(key) || found?.holds(key) !== true) found = host;
    }
    if (found !== undefined && unpark(found)) taken++;
    if (found !== undefined) spare = undefined;
    return found;
  };

  const dequeue = (waiter: Waiter): void => {
    const index = waiters.indexOf(waiter);
    if (index !== -1) waiters.splice(index, 1);
  };

  const startFor = (waiter: Waiter): void => {
    if (waiter.hasStarting) return;
    waiter.hasStarting = true;
    open(waiter.kind).then(put, (error: unknown) => {
      dequeue(waiter);
      waiter.reject(error);
    });
  };

  /**
   * Whether another host may start. During a peak only one at a time, because starting hosts slow
   * each other down.
   */
  const hasRoom = ({ impatient }: Waiter): boolean =>
    count < ahead || (impatient && count < max && opening.size === 0);

  /** Serves waiting calls when a host or a slot has become free. */
  const serve = (): void => {
    for (const waiter of [...waiters]) {
      const host = pick(waiter.kind, waiter.key);
      if (host !== undefined) {
        dequeue(waiter);
        waiter.resolve(host);
      } else if (!waiter.hasStarting && hasRoom(waiter)) {
        startFor(waiter);
      } else if (!waiter.hasStarting) {
        // A waiting host of another kind takes the slot of a needed one.
        const [other] = idle.keys();
        if (other === undefined) continue;
        unpark(other);
        void end(other);
        startFor(waiter);
      }
    }
  };

  let trimming: NodeJS.Timeout | undefined;
  const trim = (): void => {
    trimming = undefined;
    for (const oldest of idle.keys()) {
      if (count <= ahead) break;
      unpark(oldest);
      void end(oldest);
    }
  };

  const put = (host: WasmHost): void => {
    if (closed) {
      void end(host);
      return;
    }
    // Directly, because the memory of a host that a call needs is reserved by that call.
    const waiter = host.isSpent() ? undefined : waiters.find(({ kind }) => same(host, kind));
    if (waiter !== undefined) {
      taken++;
      spare = undefined;
      waiter.resolve(host);
    } else if (!park(host)) void end(host);
    serve();
    if (count > ahead) trimming ??= setTimeout(trim, lingerMs).unref();
  };

  const openSpare = async (kind: HostKind): Promise<void> => {
    const host = await open(kind);
    spare = host;
    put(host);
    setTimeout(() => {
      if (spare === host && unpark(host)) void end(host);
    }, lingerMs).unref();
  };

  return {
    async take(kind, key, signal) {
      if (signal.aborted) return undefined;
      if (closed) throw new SkillError('SANDBOX_UNAVAILABLE', 'the WASM host pool is closed');
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
          dequeue(waiter);
        };
        const waiter: Waiter = {
          kind,
          key,
          hasStarting: false,
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
      void end(host);
      if (!closed) serve();
      replace(host.kind);
    },
    async warm(kind) {
      await checking?.catch(() => undefined);
      const other = spare !== undefined && !same(spare, kind) ? spare : undefined;
      if (other !== undefined && unpark(other)) void end(other);
      spare = undefined;
      while (!closed && count < ahead && hasMemory()) put(await open(kind));
    },
    async check(kind) {
      if (hasStarted || closed) return;
      checking ??= openSpare(kind).finally(() => {
        checking = undefined;
      });
      await checking;
    },
    load: () => ({ hosts: count, idle: idle.size, waiting: waiters.length, started, lost }),
    async close() {
      closed = true;
      clearTimeout(trimming);
      for (const host of [...idle.keys()]) {
        unpark(host);
        void end(host);
      }
      for (const waiter of [...waiters]) waiter.resolve(undefined);
      await Promise.allSettled(opening);
      await Promise.all(ending);
    },
  };
}
