import { SkillError } from '@ambit/core';
import type { SharedMemory } from '@ambit/core/execute';
import { type HostKind, hostOwnBytes } from './host-command.ts';
import { hostQueue, type PoolSize } from './host-queue.ts';
import { idleHosts } from './idle-hosts.ts';
import { liveHosts } from './live-hosts.ts';
import { spareHost } from './spare-host.ts';
import type { WasmHost } from './wasm-host.ts';

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

/** The time that hosts started for a peak wait for the next one. */
const lingerMs = 5000;

/** A pool of hosts that `start` starts. A waiting host holds its own part of `memory`, which calls take from it. */
export function hostPool(
  start: (kind: HostKind) => Promise<WasmHost>,
  size: PoolSize,
  memory: SharedMemory,
): HostPool {
  const { ahead } = size;
  const live = liveHosts(start, memory, (host) => {
    if (!idle.unpark(host)) return;
    lost++;
    void live.end(host);
    replace(host.kind);
  });
  const idle = idleHosts(memory, live.end);
  let lost = 0;
  let closed = false;
  let trimming: NodeJS.Timeout | undefined;

  const endIdle = (host: WasmHost): void => {
    if (idle.unpark(host)) void live.end(host);
  };
  const put = (host: WasmHost): void => {
    if (closed) {
      void live.end(host);
      return;
    }
    // Directly, because the memory of a host that a call needs is reserved by that call.
    if (!queue.hand(host) && !idle.park(host)) void live.end(host);
    queue.serve();
    if (live.count() > ahead) trimming ??= setTimeout(trim, lingerMs).unref();
  };
  const trim = (): void => {
    trimming = undefined;
    for (const oldest of idle.all()) {
      if (live.count() <= ahead) break;
      endIdle(oldest);
    }
  };
  const spare = spareHost({ open: live.open, put, endIdle, lingerMs });
  const queue = hostQueue({ live, idle, size, put, endIdle, onServed: spare.drop });

  const hasMemory = (): boolean => {
    const { share, reserved, idle: held } = memory.load();
    return reserved + held + hostOwnBytes <= share;
  };
  const replace = (kind: HostKind): void => {
    if (closed || live.count() >= ahead || !hasMemory()) return;
    // The next call reports a host that cannot be started.
    live.open(kind).then(put, () => undefined);
  };

  return {
    async take(kind, key, signal) {
      if (signal.aborted) return undefined;
      if (closed) throw new SkillError('SANDBOX_UNAVAILABLE', 'the WASM host pool is closed');
      return queue.take(kind, key, signal);
    },
    give(host, survived) {
      if (survived && !host.isSpent()) {
        put(host);
        return;
      }
      if (!survived) lost++;
      void live.end(host);
      if (!closed) queue.serve();
      replace(host.kind);
    },
    async warm(kind) {
      await spare.giveWayTo(kind);
      while (!closed && live.count() < ahead && hasMemory()) put(await live.open(kind));
    },
    async check(kind) {
      if (!live.canStart() && !closed) await spare.check(kind);
    },
    load: () => ({
      hosts: live.count(),
      idle: idle.count(),
      waiting: queue.count(),
      started: live.started(),
      lost,
    }),
    async close() {
      closed = true;
      clearTimeout(trimming);
      for (const host of idle.all()) endIdle(host);
      queue.cancel();
      await live.settle();
    },
  };
}
